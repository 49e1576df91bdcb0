// The first page behind the login.

import { Page } from '../../parts/page.tsx'
import { useSession } from '../../session.ts'

export function Component() {
  return <Page title="Home">{useSession().account.name}</Page>
}
