// postrider key and postrider smtp-credential: create, list and revoke API keys and SMTP credentials.

import { describeAuditAction } from '../access/audit.ts'
import { createKey, type NewKey, readScopes } from '../access/keys.ts'
import { isOfOperator, SCOPE_SETS, USUAL_SCOPES } from '../access/scopes.ts'
import { submissionAddress } from '../config/listeners.ts'
import { formatTime } from '../lib/rfc3339.ts'
import { type FieldProblem, invalidFields, Problem } from '../model/problem.ts'
import { listKeys } from '../store/access/key-reads.ts'
import { type Key, revokeKey } from '../store/access/keys.ts'
import { operatingAccountId } from '../store/access/operating-account.ts'
import { type Domain, listDomains } from '../store/domains/domain-rows.ts'
import type { Answer, Context } from './command.ts'
import { chooseDomain, type Opened, untilNoticed, withAccount } from './open.ts'
import { UsageError } from './parse.ts'
import { fields, table } from './text.ts'
import { shortTime } from './times.ts'

const API_KINDS = ['sending', 'verification', 'public', 'management'] as const
export type ApiKind = Exclude<(typeof API_KINDS)[number], 'public'>

/** Inputs of `key create` and `smtp-credential create`. */
export interface Wanted {
  readonly domain: string | undefined
  /** Test inbox of a test credential, by ID. */
  readonly inbox: string | undefined
  readonly name: string | undefined
  /** Expiry of the key, in milliseconds since the epoch. */
  readonly expires: number | undefined
  readonly rate: string | undefined
  readonly account: string | undefined
}

/** Further inputs of `key create`: the rights of the key. */
interface WantedRights {
  readonly domains: readonly string[] | undefined
  readonly scopes: readonly string[] | undefined
  readonly grants: readonly string[] | undefined
  readonly networks: readonly string[] | undefined
  readonly recipients: readonly string[] | undefined
}

const NO_RIGHTS: WantedRights = {
  ...{ domains: undefined, scopes: undefined, grants: undefined },
  ...{ networks: undefined, recipients: undefined },
}

const DEFAULT_NAMES: Record<Key['kind'], string> = {
  sending: 'Sending key',
  verification: 'Verification key',
  smtp: 'SMTP credential',
  public: 'Public key',
  management: 'Management key',
}

/** Returns the JSON document of a key, without the secret. `domain` is the name of the key's domain. */
function keyDocument(key: Key, domain: string | null): object {
  return {
    ...(key.kind === 'smtp' ? { username: key.id } : { key_id: key.id, kind: key.kind }),
    domain,
    name: key.name,
    last4: key.last4,
    ...(key.inbox_id === null ? {} : { mode: key.mode, inbox_id: key.inbox_id }),
    rate: key.rate,
    created_at: formatTime(key.created_at),
    last_used_at: formatTime(key.last_used_at),
    expires_at: formatTime(key.expires_at),
    revoked_at: formatTime(key.revoked_at),
    ...(key.kind === 'management' || isLimited(key) ? rightsDocument(key) : {}),
  }
}

/** True for a key with other rights than the usual rights of its kind. */
const isLimited = ({ kind, scopes, networks, recipients }: Key): boolean =>
  scopes !== JSON.stringify(USUAL_SCOPES[kind]) || networks !== null || recipients !== null

const rightsDocument = ({ scopes, grants, networks, recipients }: Key): object => ({
  scopes: JSON.parse(scopes),
  grants: JSON.parse(grants),
  networks: networks === null ? null : JSON.parse(networks),
  recipients: recipients === null ? null : JSON.parse(recipients),
})

export async function createApiKey(
  context: Context,
  wanted: Wanted & WantedRights & { readonly kind: ApiKind },
): Promise<Answer> {
  requireInputs(wanted)
  const { key, secret, domain, domains } = await make(context, wanted, wanted.kind)
  const what = {
    sending: `Sending key for ${domain?.name}`,
    verification: 'Verification key',
    management: 'management key',
  }[wanted.kind]
  const text = [
    `The ${what} has been created. The key is shown only once.`,
    '',
    fields([
      ['Key', secret],
      ['ID', key.id],
      ['Name', key.name],
      ...(wanted.kind === 'management'
        ? ([
            ['Scopes', JSON.parse(key.scopes).join(', ')],
            ['Domains', namesOf(domains)],
          ] as const)
        : []),
      ['Expires', key.expires_at === null ? 'never' : shortTime(key.expires_at)],
    ]),
    '',
    `Requests contain the key as: Authorization: Bearer ${secret}`,
    ...notYet(domain),
  ]
  const beside = wanted.kind === 'management' ? { domains: domains?.map(({ name }) => name) ?? null } : {}
  return { document: { ...withSecret({ key: secret }, key, domain), ...beside }, text: text.join('\n') }
}

const namesOf = (domains: readonly Domain[] | undefined): string =>
  domains === undefined ? 'every domain of the account' : domains.map(({ name }) => name).join(', ')

/** Throws `UsageError` if an input is missing, or if the kind of key does not have an input. */
function requireInputs({
  kind,
  domain,
  inbox,
  domains,
  scopes,
  grants,
}: WantedRights & { kind: ApiKind } & Wanted): void {
  const refuse = (message: string, path: string, code: string): never => {
    throw new UsageError(message, 'key create', [{ path, code, message }])
  }
  if (kind !== 'sending' && inbox !== undefined) {
    refuse('Only a Sending key takes --inbox', 'inbox', 'not_together')
  }
  if (kind === 'sending' && domain === undefined) refuse('A Sending key needs --domain', 'domain', 'required')
  if (kind === 'management' && scopes === undefined) {
    refuse('A management key needs --scopes', 'scopes', 'required')
  }
  if (kind === 'management') {
    if (domain !== undefined) refuse('A management key takes --domains', 'domain', 'not_together')
    return
  }
  if (domains !== undefined) refuse('Only a management key takes --domains', 'domains', 'not_together')
  if (grants !== undefined) refuse('Only a management key takes --grants', 'grants', 'not_together')
}

export async function createSmtpCredential(context: Context, wanted: Wanted): Promise<Answer> {
  const { key, secret, domain, submission } = await make(context, wanted, 'smtp')
  const { host, port, tlsPort } = submission
  const text = [
    `The SMTP credential for ${domain?.name} has been created. Its password is shown only once.`,
    '',
    fields([
      ['Host', host],
      ['Port', `${port}, with STARTTLS`],
      ...(tlsPort === undefined ? [] : [['TLS port', `${tlsPort}, with implicit TLS`] as const]),
      ['Username', key.id],
      ['Password', secret],
      ['Name', key.name],
      ['Expires', key.expires_at === null ? 'never' : shortTime(key.expires_at)],
    ]),
    ...notYet(domain),
  ]
  const document = {
    ...withSecret({ password: secret }, key, domain),
    ...{ host, port, ...(tlsPort === undefined ? {} : { tls_port: tlsPort }) },
  }
  return { document, text: text.join('\n') }
}

/** Returns the JSON document of a key, with the secret after the ID. */
function withSecret(secret: Readonly<Record<string, string>>, key: Key, domain: Domain | undefined): object {
  const [first = ['', ''], ...others] = Object.entries(keyDocument(key, domain?.name ?? null))
  return Object.fromEntries([first, ...Object.entries(secret), ...others])
}

const notYet = (domain: Domain | undefined): string[] =>
  domain === undefined || domain.status === 'verified'
    ? []
    : [
        '',
        `${domain.name} is ${domain.status}: before it can send, run postrider domain verify ${domain.name}`,
      ]

function make(context: Context, wanted: Wanted & Partial<WantedRights>, kind: Key['kind']) {
  return withAccount(context, wanted.account, async ({ config, store, clock, account }) => {
    const { scopes, grants, networks, recipients, domains: named } = { ...NO_RIGHTS, ...wanted }
    const domain =
      wanted.domain === undefined ? undefined : await chooseDomain(store.read, account, wanted.domain)
    const domains = named && (await Promise.all(named.map((one) => chooseDomain(store.read, account, one))))
    const isOperating = (await operatingAccountId(store.read)) === account.id
    const asked: NewKey = {
      accountId: account.id,
      domainId: domain?.id ?? null,
      domainIds: domains?.map(({ id }) => id),
      kind,
      name: wanted.name ?? DEFAULT_NAMES[kind],
      expiresAt: wanted.expires ?? null,
      rate: wanted.rate ?? null,
      ...readRights(kind, { scopes, grants }, isOperating),
      networks: networks ?? null,
      recipients: recipients ?? null,
      inboxId: wanted.inbox,
      createdBy: 'command_line',
    }
    describeAuditAction({ detail: { name: asked.name, ...(domain && { domain: domain.name }) } })
    const made = await createKey({ store, clock }, asked)
    return { ...made, domain, domains, submission: submissionAddress(config) }
  })
}

/** Reads the scopes and the grants of a key, which may be names of ready-made sets. Throws `validation_failed`. */
function readRights(
  kind: Key['kind'],
  { scopes, grants }: Pick<WantedRights, 'scopes' | 'grants'>,
  isOperating: boolean,
): Pick<NewKey, 'scopes' | 'grants'> {
  const problems: FieldProblem[] = []
  const read = (path: string, words: readonly string[] | undefined) => {
    if (words === undefined) return undefined
    const written = words.flatMap((word) => SCOPE_SETS[word as keyof typeof SCOPE_SETS] ?? [word])
    const found = readScopes(kind, path, written, problems)
    if (!isOperating && found.some(isOfOperator)) {
      const message = 'Only a key of the account that operates the installation has scopes of the operator.'
      problems.push({ path, code: 'beyond_own_rights', message })
    }
    return found
  }
  const rights = { scopes: read('scopes', scopes), grants: read('grants', grants) }
  if (problems.length > 0) throw invalidFields(problems)
  return rights
}

/** Lists the keys or the SMTP credentials of an account, newest first. */
export function list(
  context: Context,
  kinds: 'keys' | 'smtp',
  given: { readonly account: string | undefined },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, clock, account }) => {
    const keys = await listKeys(store.read, account.id, kinds === 'smtp' ? ['smtp'] : API_KINDS)
    const names = await domainNames(store, account.id)
    const smtp = kinds === 'smtp'
    const rows = keys.map((key) => [
      key.id,
      ...(smtp ? [] : [key.kind]),
      names.get(key.domain_id ?? '') ?? '-',
      key.name,
      `…${key.last4}`,
      shortTime(key.last_used_at),
      stateOf(key, clock.now()),
    ])
    const none = smtp
      ? 'There is no SMTP credential yet; create one with: postrider smtp-credential create --domain example.com'
      : 'There is no key yet; create one with: postrider key create --kind sending --domain example.com'
    const headings = [
      ...(smtp ? ['username'] : ['key', 'kind']),
      'domain',
      'name',
      'ends in',
      'last used',
      'state',
    ]
    return {
      document: { data: keys.map((key) => keyDocument(key, names.get(key.domain_id ?? '') ?? null)) },
      text: table(headings, rows, none),
    }
  })
}

async function domainNames(store: Opened['store'], accountId: string): Promise<Map<string, string>> {
  const domains = await listDomains(store.read, accountId)
  return new Map(domains.map((domain) => [domain.id, domain.name]))
}

function stateOf(key: Key, now: number): string {
  if (key.revoked_at !== null) return `revoked ${shortTime(key.revoked_at)}`
  if (key.expires_at === null) return 'active'
  return `${key.expires_at <= now ? 'expired' : 'active until'} ${shortTime(key.expires_at)}`
}

/** Revokes a key or an SMTP credential; returns when all running nodes refuse the credential. Safe to repeat. */
export function revoke(
  context: Context,
  kinds: 'keys' | 'smtp',
  given: { readonly id: string; readonly account: string | undefined },
): Promise<Answer> {
  return withAccount(context, given.account, async ({ store, clock, account }) => {
    const noun = kinds === 'smtp' ? 'SMTP credential' : 'key'
    const keys = await listKeys(store.read, account.id, kinds === 'smtp' ? ['smtp'] : API_KINDS)
    const key = keys.find((one) => one.id === given.id)
    if (key === undefined) {
      const command = kinds === 'smtp' ? 'smtp-credential' : 'key'
      const detail = `The account ${account.name} has no ${noun} ${JSON.stringify(given.id)}; \`postrider ${command} list\` shows all.`
      throw new Problem('not_found', detail)
    }
    const now = clock.now()
    const revokedNow = await store.write(revokeKey, { accountId: account.id, id: key.id, now })
    await untilNoticed()
    const revokedAt = revokedNow ? now : (key.revoked_at ?? now)
    const names = await domainNames(store, account.id)
    return {
      document: keyDocument({ ...key, revoked_at: revokedAt }, names.get(key.domain_id ?? '') ?? null),
      text: revokedNow
        ? `The ${noun} ${key.id} (${key.name}, …${key.last4}) is revoked; every node refuses it from now on.`
        : `The ${noun} ${key.id} was already revoked at ${shortTime(revokedAt)}.`,
    }
  })
}
