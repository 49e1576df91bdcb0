// The page docs/compatibility.md: what of the other services is served, from the declarations of their calls.

import { VENDORS } from './compatible-apis.ts'
import type { Vendor, VendorCall } from './declaration.ts'

const STATES = { served: 'served', differs: 'with differences', refused: 'refused' } as const

const INTRODUCTION = [
  'Postrider takes the calls of other services in their own form, so that an application moves to Postrider by a changed address and a changed key. A call in the form of another service runs the endpoint of `/v1` with the same meaning: keys, scopes, domains, rate limits, networks, recipients, suppressions, idempotency and the audit log are the same.',
  '',
  'The calls of a service are served:',
  '',
  '- below `/compat/<service>`, such as `https://mail.example.com/compat/postmark/email`',
  '- at the root of a host name of their own, for clients that keep no path: `POSTRIDER_COMPAT_HOSTS=postmark=pm.example.com` ([settings](config.md)). With `POSTRIDER_ACME_EMAIL`, the certificate of the installation includes the name.',
  '- at the root of every host, for services whose paths begin with a version; `POSTRIDER_COMPAT_AT_ROOT=no` turns this off',
  '',
  'The key is a Sending key (`send_…`) where the service has a key for sending, and a management key (`manage_…`) where the service has a key of the account ([managing by API](managing.md)). The table names the scope that each call requires.',
  '',
  'Requests are read tolerantly: `null`, empty texts, unknown fields, the case of letters in paths and field names, and slashes at the end of a path are no errors. The response names the fields that had no effect in `X-Postrider-Ignored`, and so does the request log. A field that changes the meaning of a request and cannot be fulfilled is refused; `POSTRIDER_COMPAT_LENIENT=postmark` makes such fields ignored fields while an application moves. An `Idempotency-Key` applies to every POST, and `Retry-After` to every refusal that may be repeated.',
  '',
]

/** Returns the page as Markdown. */
export function compatibilityPage(): string {
  return [
    '# Compatible endpoints',
    '',
    ...INTRODUCTION,
    '| Service | Calls | served | with differences | refused | Moving |',
    '|---|---|---|---|---|---|',
    ...VENDORS.map(summaryOf),
    '',
    ...VENDORS.flatMap(sectionOf),
  ].join('\n')
}

const count = (vendor: Vendor, state: VendorCall['state']): number =>
  vendor.calls.filter((call) => call.state === state).length

const summaryOf = (vendor: Vendor): string => {
  const { title, name, calls } = vendor
  const states = (['served', 'differs', 'refused'] as const).map((state) => count(vendor, state))
  const moving = `[Moving from ${title}](moving-from-${name}.md)`
  return `| [${title}](#${title.toLowerCase()}) | ${[calls.length, ...states].join(' | ')} | ${moving} |`
}

function sectionOf({ title, name, calls }: Vendor): string[] {
  const nouns = Map.groupBy(calls, ({ noun }) => noun)
  const rows = [...nouns].flatMap(([noun, all]) =>
    all.map((call, index) => rowOf(call, index === 0 ? noun : '')),
  )
  return [
    `## ${title}`,
    '',
    `Below \`/compat/${name}\`.`,
    '',
    '| | Call | Does | Scope | | Differences |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ]
}

const rowOf = (
  { method, path, summary, scope, state, differences = '' }: VendorCall,
  noun: string,
): string => {
  const needs = state === 'refused' || scope === 'any-credential' ? 'any' : `\`${scope}\``
  const parts = [noun, `\`${method} ${shownPath(path)}\``, summary, needs, STATES[state], differences]
  return `| ${parts.join(' | ')} |`
}

/** Returns a path with its parameters in braces. */
const shownPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')
