// Builds the services for user accounts: sessions, login, invitations, and notices by mail.

import { firstRunLink } from '../access/first-run.ts'
import { Invitations } from '../access/invitations.ts'
import { KeyNotices } from '../access/key-notices.ts'
import { KnownDevices } from '../access/known-devices.ts'
import { Login } from '../access/login.ts'
import { LoginNotices } from '../access/login-notices.ts'
import { Passkeys } from '../access/passkeys.ts'
import { PasswordReset } from '../access/password-reset.ts'
import { SecondFactor } from '../access/second-factor.ts'
import { Sessions } from '../access/sessions.ts'
import type { SmtpListenerView } from '../api/contract/smtp-credential.ts'
import type { PeopleServices } from '../api/dashboard/services.ts'
import { submissionAddress } from '../config/listeners.ts'
import { parseNetworks } from '../dns/special-use.ts'
import { KeyRotation } from '../domains/key-rotation.ts'
import { ProblemNotices } from '../health/problem-notices.ts'
import { IncidentNotices } from '../incidents/incident-notices.ts'
import { IncidentWatch } from '../incidents/incident-watch.ts'
import { type PublicUrl, unreachableLinks } from '../lib/public-url.ts'
import { isLoopback } from '../lib/setting-kinds.ts'
import { OutgoingHttp } from '../outgoing-http/outgoing-http.ts'
import type { PlaygroundSecrets } from '../playground/setup.ts'
import { TlsReporting } from '../reports/tls-reporting.ts'
import { canSendOwnMail, ownMail, reportMail } from '../submission/service-mail.ts'
import type { Submission } from '../submission/submit.ts'
import { resolverOf, verifyingResolver } from './domains.ts'
import type { NodeParts } from './parts.ts'

/** Parts of the node that user accounts need. */
export interface PeopleParts extends NodeParts {
  /** Secret of the installation. */
  readonly secret: string
  readonly submission: Submission
  /** URL at which users reach the dashboard; the port is known once the HTTP server has started. */
  readonly publicUrl: PublicUrl
  /** State of the TLS certificate of this node. */
  readonly certificate: PeopleServices['certificate']
  /** Secrets of the playground; undefined in production. */
  readonly playgroundSecrets: PlaygroundSecrets | undefined
  /** Ports of SMTP submission on this node. */
  readonly smtp: { readonly port: number; readonly tlsPort: number | undefined } | undefined
}

/** Starts the user services that keys call as well: invitations, and notices to the owners. */
export async function startInvitations(
  parts: PeopleParts,
): Promise<{ readonly invitations: Invitations; readonly notices: LoginNotices }> {
  const { config, store, clock, log, node, lifecycle, submission, publicUrl } = parts
  const send = ownMail({ store, clock, submission })
  // The playground sends no mail about keys, domains and incidents.
  const telling = { store, clock, log, send: config.mode === 'production' ? send : undefined, publicUrl }
  await lifecycle.start(new KeyNotices({ ...telling, node }))
  const resolver = () => verifyingResolver(config, store)
  await lifecycle.start(new KeyRotation({ ...telling, node, resolver }))
  const notices = new IncidentNotices(telling)
  await lifecycle.start(new IncidentWatch({ store, clock, log, node, notices }))
  return {
    invitations: new Invitations({
      ...{ store, clock, send, publicUrl, unreachable: unreachableLinks(config) },
      canSend: () => canSendOwnMail(store),
    }),
    notices: await lifecycle.start(new LoginNotices({ read: store.read, clock, log, send, publicUrl })),
  }
}

/** Starts the sending of TLS reports; returns undefined if the settings disable the reports. */
export async function startTlsReporting(
  parts: Omit<PeopleParts, 'smtp' | 'certificate'>,
): Promise<TlsReporting | undefined> {
  const { config, store, clock, log, node, lifecycle, submission } = parts
  if (config.tlsReports === 'no') return undefined
  const resolver = resolverOf(config, store, undefined, clock)
  const allowed = parseNetworks(config.allowPrivateNetworks.join(','))
  const http = new OutgoingHttp({ resolver, allowed })
  const mail = reportMail({ store, clock, submission })
  return lifecycle.start(
    new TlsReporting({ ...{ store, clock, log, node, resolver, http, mail }, hostName: config.hostname }),
  )
}

/** Starts the user services of the dashboard; returns undefined on a node without the dashboard. */
export async function startPeople(parts: PeopleParts): Promise<Omit<PeopleServices, 'notices'> | undefined> {
  const { config, store, clock, log, node, lifecycle, secret, submission, publicUrl, certificate } = parts
  if (!config.roles.includes('dashboard')) return undefined
  const send = ownMail({ store, clock, submission })
  if (config.mode === 'production') {
    const { storedBytesPerAccount } = config
    await lifecycle.start(
      new ProblemNotices({ store, clock, log, node, send, publicUrl, storedBytesPerAccount, certificate }),
    )
  }
  const secondFactor = new SecondFactor(store, clock, secret)
  const devices = new KnownDevices(secret, clock)
  return {
    mode: config.mode,
    certificate,
    playgroundLogin: isLoopback(config.httpHost) ? parts.playgroundSecrets?.dashboard_login : undefined,
    sessions: await lifecycle.start(new Sessions(store, clock, log)),
    login: new Login({ store, clock, log, secondFactor, devices, failureRate: config.authFailureRate }),
    devices,
    secondFactor,
    passkeys: new Passkeys(store, clock, secret),
    passwordReset: await lifecycle.start(new PasswordReset({ store, clock, log, send, publicUrl })),
  }
}

/** Returns the SMTP listener for programs. The settings name the ports if another node does submission. */
export function smtpListener({ config, smtp }: Pick<PeopleParts, 'config' | 'smtp'>): SmtpListenerView {
  const configured = submissionAddress(config)
  const tlsPort = smtp?.tlsPort ?? configured.tlsPort
  return {
    host: configured.host,
    port: smtp?.port ?? configured.port,
    self_signed: smtp !== undefined && config.smtpTlsCert === undefined && config.acmeEmail === undefined,
    ...(tlsPort === undefined ? {} : { tls_port: tlsPort }),
  }
}

/** Returns a new link that creates the first user, in production while no user exists. */
export async function firstRunUrl({
  config,
  store,
  clock,
  publicUrl,
}: PeopleParts): Promise<string | undefined> {
  if (config.mode === 'playground' || !config.roles.includes('dashboard')) return undefined
  const link = await firstRunLink(store, clock)
  return link === undefined ? undefined : `${publicUrl.value}${link}`
}
