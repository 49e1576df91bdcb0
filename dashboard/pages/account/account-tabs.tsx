// The pages of the account.

import { LinkTabs } from '../../parts/link-tabs.tsx'
import { useMay } from '../../session.ts'

export function AccountTabs() {
  const mayAudit = useMay('admin')
  return (
    <LinkTabs
      label="Account"
      tabs={[
        ['/account', 'Account'],
        ['/account/users', 'Users'],
        ...(mayAudit ? ([['/account/audit', 'Audit log']] as const) : []),
        ['/account/profile', 'Your profile'],
      ]}
    />
  )
}
