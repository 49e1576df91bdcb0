// The pages of what happens: events of messages, requests to the API.

import { LinkTabs } from '../../parts/link-tabs.tsx'

export const ActivityTabs = () => (
  <LinkTabs
    label="Activity"
    tabs={[
      ['/activity', 'Events'],
      ['/activity/requests', 'API requests'],
    ]}
  />
)
