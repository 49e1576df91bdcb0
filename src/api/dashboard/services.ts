// Services that the endpoints of the dashboard use.

import type { KnownDevices } from '../../access/known-devices.ts'
import type { Login } from '../../access/login.ts'
import type { LoginNotices } from '../../access/login-notices.ts'
import type { Passkeys } from '../../access/passkeys.ts'
import type { PasswordReset } from '../../access/password-reset.ts'
import type { SecondFactor } from '../../access/second-factor.ts'
import type { Sessions } from '../../access/sessions.ts'
import type { SharedLinks } from '../../access/shared-links.ts'
import type { DomainWork } from '../../domains/domain-work.ts'
import type { Health } from '../../health/health.ts'
import type { CertificateFacts } from '../../health/installation-problems.ts'
import type { MailOrigin } from '../../inboxes/mail-origin.ts'
import type { TestMail } from '../../store/inboxes/mails.ts'
import type { NodeName } from '../../store/node/node-identity.ts'
import type { Resending } from '../../submission/resend.ts'
import type { AuditResources } from '../audit-action.ts'
import type { Services } from '../routes.ts'

/** Services of every HTTP server; every write through the store is part of the audit action of its request. */
export type BaseServices = Services & AuditResources & { readonly node: NodeName }

/** Services of logins and users. */
export interface PeopleServices {
  readonly mode: 'playground' | 'production'
  readonly sessions: Sessions
  readonly login: Login
  readonly devices: KnownDevices
  readonly secondFactor: SecondFactor
  readonly passkeys: Passkeys
  readonly passwordReset: PasswordReset
  readonly notices: LoginNotices
  /** Login of the owner of the playground; undefined in production, and if other machines can reach the HTTP port. */
  readonly playgroundLogin: { readonly email: string; readonly password: string } | undefined
  /** Returns the state of the certificate for the TLS ports of this node. */
  readonly certificate: () => CertificateFacts
}

/** Services of domains, their mail and the health of the installation. */
export interface DomainServices {
  readonly domains: DomainWork
  readonly recordLinks: SharedLinks
  readonly resending: Resending
  /** Links to a message, or to a mail of a test inbox. */
  readonly messageLinks: SharedLinks
  readonly mailOrigin: (mail: TestMail) => Promise<MailOrigin>
  readonly health: Health
}

/** Services that only the dashboard uses. */
export interface DashboardOptions extends PeopleServices, DomainServices {}

export interface DashboardServices extends Omit<BaseServices, 'notices'>, DashboardOptions {}
