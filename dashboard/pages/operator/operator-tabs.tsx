// The pages of who operates the installation.

import { LinkTabs } from '../../parts/link-tabs.tsx'

export function OperatorTabs() {
  return (
    <LinkTabs
      label="Operator"
      tabs={[
        ['/operator', 'Health'],
        ['/operator/queue', 'Queue'],
        ['/operator/accounts', 'Accounts'],
        ['/operator/nodes', 'Nodes'],
      ]}
    />
  )
}
