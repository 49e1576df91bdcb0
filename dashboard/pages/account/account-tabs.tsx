// Tabs of the pages of the account.

import { LinkTabs } from '../../parts/link-tabs.tsx'
import { useMay } from '../../session.ts'
import { account as words } from '../../texts/en/account.ts'

export function AccountTabs() {
  const mayAudit = useMay('admin')
  return (
    <LinkTabs
      label={words.title}
      tabs={[
        ['/account', words.title],
        ['/account/users', words.users],
        ['/account/keys', words.managementKeys],
        ['/account/usage', words.usage],
        ['/account/events', words.events],
        ...(mayAudit ? ([['/account/audit', words.auditLog]] as const) : []),
        ['/account/profile', words.profile],
      ]}
    />
  )
}
