// What the endpoints of the dashboard work with.

import type { Login } from '../../access/login.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { AuditResources } from '../deed.ts'
import type { Services } from '../routes.ts'

/** What the HTTP server has for everyone. Whatever a request writes through the store is in the audit log. */
export type BaseServices = Services & AuditResources

/** What only the dashboard works with. */
export interface DashboardOptions {
  readonly mode: 'playground' | 'production'
  readonly sessions: Sessions
  readonly login: Login
}

export interface DashboardServices extends BaseServices, DashboardOptions {
  /** Under which people reach the dashboard; known once the server has started. */
  readonly publicUrl: () => string
  /** Where problems are described. */
  readonly docsUrl: () => string
}
