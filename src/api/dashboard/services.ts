// What the endpoints of the dashboard work with.

import type { Invitations } from '../../access/invitations.ts'
import type { Login } from '../../access/login.ts'
import type { Passkeys } from '../../access/passkeys.ts'
import type { PasswordReset } from '../../access/password-reset.ts'
import type { SecondFactor } from '../../access/second-factor.ts'
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
  readonly secondFactor: SecondFactor
  readonly passkeys: Passkeys
  readonly invitations: Invitations
  readonly passwordReset: PasswordReset
  /** Where programs hand mail over by SMTP. */
  readonly smtpDoor: () => { readonly host: string; readonly port: number; readonly tls_port?: number }
}

export interface DashboardServices extends BaseServices, DashboardOptions {
  /** Under which people reach the dashboard; known once the server has started. */
  readonly publicUrl: () => string
  /** Where problems are described. */
  readonly docsUrl: () => string
}
