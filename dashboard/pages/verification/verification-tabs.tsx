// The pages of email verification.

import { LinkTabs } from '../../parts/link-tabs.tsx'

export function VerificationTabs() {
  return (
    <LinkTabs
      label="Email Verification"
      tabs={[
        ['/verification', 'Check an address'],
        ['/verification/lists', 'Lists'],
        ['/verification/keys', 'API keys'],
        ['/verification/credits', 'Credits'],
      ]}
    />
  )
}
