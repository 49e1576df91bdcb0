// Texts of the management keys of the account; the compiler reports a ready-made set and a scope without a name.

import type { MyScopes } from '../../../src/api/contract/dashboard-me.ts'
import type { Texts } from '../texts.ts'

type Named<Scope> = Scope extends `${infer Noun}:${infer Verb}` ? readonly [Noun, Verb] : never
type Names = Named<MyScopes['scopes'][number]>

interface Complete {
  readonly sets: Readonly<Record<MyScopes['sets'][number]['name'] | 'own', Texts>>
  readonly nouns: Readonly<Record<Names[0], string>>
  readonly verbs: Readonly<Record<Names[1], string>>
}

export const managementKeys = {
  title: 'Management keys',
  intro: 'A management key lets a program manage the account: domains, keys, users, templates and more.',
  add: 'New management key',
  none: 'No management keys yet',
  noneHint:
    'Create one for Terraform, a deployment or your own program. Applications that only send mail use an API key of their domain.',
  new: 'New management key',
  yours: 'Your new management key',
  create: 'Create management key',
  scopes: 'Scopes',
  limitedTo: 'Domains and networks',
  everyDomain: 'All domains',
  everyDomainHint: 'Also domains that are added later',
  noDomain: 'No domain any more',
  someDomains: 'Chosen domains',
  domains: 'Domains',
  everyNetwork: 'Any network',
  networks: 'Networks',
  networksHint: 'In CIDR notation, one per line, such as 192.0.2.0/24; empty for any network',
  by: 'by {name}',
  rotatingUntil: 'previous secret ends {time}',
  actionsFor: 'Actions for {name}',
  rotate: 'Rotate secret',
  rotateOne: 'Rotate the secret of {name}',
  rotateHint:
    'The key gets a new secret. Programs can use the previous secret for a while, so that you can replace it without an interruption.',
  overlap: 'Previous secret',
  rotateAction: 'Create new secret',
  yourSecret: 'Your new secret',
  showRights: 'Show the rights of the key',
  grants: 'Scopes of the keys that it creates',
  grantsHint: 'The key may always pass on its own scopes.',
  scopeAndMore: { one: '{scope} and {count} more', other: '{scope} and {count} more' },
  andMore: { one: '{first} and {count} more', other: '{first} and {count} more' },
  makers: { gone: 'a former user', operator: 'the operator', command_line: 'the command line' },
  overlaps: {
    '0s': 'Ends immediately',
    '1h': 'Valid for another hour',
    '24h': 'Valid for another day',
    '7d': 'Valid for another 7 days',
    '30d': 'Valid for another 30 days',
  },
  grantChoices: {
    usual: 'The usual scopes for sending, without contents of messages',
    usualOfPlatform:
      'The usual scopes for sending, without contents of messages, and for managing domains, keys and users',
    none: 'Only its own scopes',
    own: 'Single scopes in addition',
  },
  sets: {
    'send-only': { name: 'Send only', hint: 'Sends mail and reads nothing.' },
    app: {
      name: 'Application',
      hint: 'Sends and reads mail, and manages templates, streams, suppressions and webhooks.',
    },
    ci: { name: 'Continuous integration', hint: 'Reads and changes templates and layouts.' },
    'read-only': { name: 'Read only', hint: 'Reads everything except contents of messages.' },
    support: {
      name: 'Support',
      hint: 'Reads everything, resends and cancels messages, and edits suppressions.',
    },
    provisioning: { name: 'Provisioning', hint: 'Manages domains, keys and users.' },
    platform: { name: 'Platform', hint: 'Manages all accounts and creates keys for them.' },
    own: { name: 'Single scopes', hint: 'Choose each scope yourself.' },
  },
  verbs: { read: 'Read', write: 'Change', send: 'Send', check: 'Verify', verify: 'Check records' },
  nouns: {
    messages: 'Messages',
    content: 'Contents of messages',
    stats: 'Statistics',
    templates: 'Templates and layouts',
    streams: 'Streams',
    suppressions: 'Suppressions',
    webhooks: 'Webhooks',
    inbound: 'Inbound messages',
    erasures: 'Erasure of addresses',
    verifications: 'Email verification',
    domains: 'Domains',
    keys: 'Keys and SMTP credentials',
    people: 'Users',
    account: 'Account',
    audit: 'Audit log',
    requests: 'API requests',
    inboxes: 'Test inboxes',
    incidents: 'Deliverability incidents',
    accounts: 'All accounts',
    operator: 'Operation of the installation',
  },
} as const satisfies Texts & Complete
