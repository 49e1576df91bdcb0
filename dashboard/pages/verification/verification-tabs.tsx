// Tabs of the pages about email verification.

import { LinkTabs } from '../../parts/link-tabs.tsx'
import { verification as words } from '../../texts/en/verification.ts'

export function VerificationTabs() {
  return (
    <LinkTabs
      label={words.title}
      tabs={[
        ['/verification', words.tabs.check],
        ['/verification/lists', words.tabs.lists],
        ['/verification/keys', words.tabs.keys],
        ['/verification/credits', words.tabs.credits],
      ]}
    />
  )
}
