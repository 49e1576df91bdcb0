// What the endpoints of the dashboard work with.

import type { Login } from '../../access/login.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { Services } from '../routes.ts'

export interface DashboardServices extends Services {
  readonly mode: 'playground' | 'production'
  readonly sessions: Sessions
  readonly login: Login
  /** Under which people reach the dashboard; known once the server has started. */
  readonly publicUrl: () => string
  /** Where problems are described. */
  readonly docsUrl: () => string
}

/** What only the dashboard works with; the rest comes from the server. */
export type DashboardOptions = Omit<DashboardServices, keyof Services | 'publicUrl' | 'docsUrl'>
