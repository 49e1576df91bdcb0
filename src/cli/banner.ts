// Text of a start for people: addresses of everything, and a line to copy.

import type { Config } from '../config/settings.ts'
import type { App } from '../node/node.ts'

/** The lines that `postrider serve` prints when it is ready. */
export function banner(app: App, config: Config): string {
  const { playground } = app
  const { email, password } = playground?.dashboard_login ?? {}
  const login = email === undefined ? '' : `        log in as ${email} with ${password}`
  const lines = [
    '',
    '  Postrider is running.',
    '',
    `  API        ${app.url}/v1        reference: ${app.url}/docs`,
    ...(config.roles.includes('dashboard') ? [`  Dashboard  ${app.url}${login}`] : []),
    ...(app.smtpPort === undefined ? [] : [`  SMTP       ${config.smtpHost}:${app.smtpPort} (STARTTLS)`]),
    ...(app.smtpsPort === undefined ? [] : [`  SMTPS      ${config.smtpHost}:${app.smtpsPort} (TLS)`]),
    ...(app.inboundPort === undefined
      ? []
      : [`  Inbound    ${config.inboundHost}:${app.inboundPort} (bounces, complaints)`]),
    ...(app.adminUrl === app.url ? [] : [`  Admin      ${app.adminUrl} (metrics, operator API)`]),
  ]
  const { firstRunUrl } = app
  const firstRun = [
    '',
    '  There are no users yet. Open this link within a day to create the first one:',
    '',
    `  ${firstRunUrl}`,
  ]
  if (firstRunUrl !== undefined) lines.push(...firstRun)
  if (playground === undefined) return `${lines.join('\n')}\n\n`
  return `${[
    ...lines,
    `  Mailbox    ${playground.mailbox_url}`,
    '',
    `  This is the playground: nothing leaves this machine. Keys and passwords are in ${config.dataDir}/playground.json.`,
    '  Send a first message, then read the mailbox:',
    '',
    `  curl ${playground.base_url}/messages \\`,
    `    -H 'Authorization: Bearer ${playground.sending_key}' \\`,
    "    -H 'Content-Type: application/json' \\",
    `    -d '{"from":"hello@${playground.domain}","to":[{"email":"you@${playground.domain}"}],"subject":"First message","text":"It works."}'`,
    '',
    `  curl ${playground.mailbox_url}`,
    '',
    '',
  ].join('\n')}`
}
