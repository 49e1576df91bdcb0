// Tabs of the activity pages: events of messages, and requests to the API.

import { LinkTabs } from '../../parts/link-tabs.tsx'
import { activity as words } from '../../texts/en/activity.ts'

export const ActivityTabs = () => (
  <LinkTabs
    label={words.title}
    tabs={[
      ['/activity', words.events],
      ['/activity/requests', words.requests],
    ]}
  />
)
