// Listeners of a node: the address and port of each listener, and the names of the settings for the address and the
// port.

import { type Config, SETTINGS } from './settings.ts'

type ListenerName = 'http' | 'https' | 'admin' | 'smtp' | 'smtps' | 'inbound'

/** Port that a node opens. */
export interface ListenerSettings {
  readonly name: ListenerName
  readonly host: string
  /** Port number; 0 means any free port. */
  readonly port: number
  readonly hostSetting: string
  readonly portSetting: string
}

/** Returns the listeners that this node opens according to its roles. */
export function listenersOf(config: Config): readonly ListenerSettings[] {
  const { roles } = config
  const wanted: readonly (readonly [ListenerName, boolean, HostKey, PortKey])[] = [
    ['http', true, 'httpHost', 'httpPort'],
    ['https', true, 'httpHost', 'httpsPort'],
    ['admin', true, 'adminHost', 'adminPort'],
    ['smtp', roles.includes('smtp'), 'smtpHost', 'smtpPort'],
    ['smtps', roles.includes('smtp'), 'smtpHost', 'smtpsPort'],
    ['inbound', roles.includes('inbound'), 'inboundHost', 'inboundPort'],
  ]
  return wanted.flatMap(([name, isWanted, hostKey, portKey]) => {
    const port = config[portKey]
    if (!isWanted || port === undefined) return []
    const settings = { hostSetting: SETTINGS[hostKey].name, portSetting: SETTINGS[portKey].name }
    return [{ name, host: config[hostKey], port, ...settings }]
  })
}

/** Host and ports at which programs submit mail by SMTP, according to the settings. */
export interface SubmissionAddress {
  readonly host: string
  /** Port with STARTTLS. */
  readonly port: number
  /** Port with implicit TLS; undefined if it is off. */
  readonly tlsPort: number | undefined
}

/** Returns the address for SMTP submission; programs outside the playground connect to the hostname of the service. */
export const submissionAddress = ({
  mode,
  hostname,
  smtpHost,
  smtpPort,
  smtpsPort,
}: Config): SubmissionAddress => ({
  host: mode === 'playground' ? smtpHost : hostname,
  port: smtpPort,
  tlsPort: smtpsPort,
})

type HostKey = 'httpHost' | 'adminHost' | 'smtpHost' | 'inboundHost'
type PortKey = 'httpPort' | 'httpsPort' | 'adminPort' | 'smtpPort' | 'smtpsPort' | 'inboundPort'
