// Tabs of the pages for operators.

import { LinkTabs } from '../../parts/link-tabs.tsx'
import { operator } from '../../texts/en/operator.ts'

export function OperatorTabs() {
  return (
    <LinkTabs
      label={operator.title}
      tabs={[
        ['/operator', operator.tabs.health],
        ['/operator/queue', operator.tabs.queue],
        ['/operator/accounts', operator.tabs.accounts],
        ['/operator/nodes', operator.tabs.nodes],
        ['/operator/lists', operator.tabs.lists],
      ]}
    />
  )
}
