// postrider key and postrider smtp-credential: create, list and revoke API keys and SMTP credentials.

import { SCOPE_SETS } from '../access/scopes.ts'
import type { KeyMade, KeyView } from '../api/contract/key.ts'
import type { SmtpCredentialMade, SmtpCredentialView } from '../api/contract/smtp-credential.ts'
import { type Api, pathOf } from './api.ts'
import type { Answer, Context } from './command.ts'
import { untilNoticed, withApi } from './open.ts'
import { UsageError } from './parse.ts'
import { fields, table } from './text.ts'
import { shortDate } from './times.ts'

type ApiKind = KeyView['kind']

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

const TITLES: Record<ApiKind, string> = {
  sending: 'Sending key',
  verification: 'Verification key',
  public: 'Public key',
  management: 'Management key',
}

/** Returns the fields that keys and SMTP credentials have in common. */
const chosen = ({ expires, rate, inbox }: Wanted) => ({
  ...(inbox === undefined ? {} : { mode: 'test', inbox_id: inbox }),
  ...(expires === undefined ? {} : { expires_at: new Date(expires).toISOString() }),
  ...(rate === undefined ? {} : { rate }),
})

export function createApiKey(
  context: Context,
  wanted: Wanted & WantedRights & { readonly kind: ApiKind },
): Promise<Answer> {
  requireInputs(wanted)
  return withApi(context, wanted.account, async (api) => {
    const { kind, name = TITLES[kind], networks, recipients } = wanted
    const domains = wanted.domain === undefined ? wanted.domains : [wanted.domain]
    const made = await api.post<KeyMade>('/v1/keys', {
      ...{ kind, name, domains, networks, recipients, ...chosen(wanted) },
      ...{ scopes: written(wanted.scopes), grants: written(wanted.grants) },
    })
    const text = [
      `The ${TITLES[kind]}${made.domain === undefined ? '' : ` for ${made.domain}`} has been created. The key is shown only once.`,
      '',
      fields([
        ['Key', made.key],
        ['ID', made.key_id],
        ['Name', made.name],
        ...(kind === 'management'
          ? ([
              ['Scopes', made.scopes.join(', ')],
              ['Domains', made.domains?.join(', ') ?? 'every domain of the account'],
            ] as const)
          : []),
        ['Expires', made.expires_at === null ? 'never' : shortDate(made.expires_at)],
      ]),
      '',
      `Requests contain the key as: Authorization: Bearer ${made.key}`,
      ...(await notYet(api, made.domain)),
    ]
    return { document: made, text: text.join('\n') }
  })
}

/** Returns a list of scopes with the scopes of its ready-made sets. */
const written = (words: readonly string[] | undefined): readonly string[] | undefined =>
  words?.flatMap((word) => SCOPE_SETS[word as keyof typeof SCOPE_SETS] ?? [word])

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

export function createSmtpCredential(context: Context, wanted: Wanted): Promise<Answer> {
  return withApi(context, wanted.account, async (api) => {
    const { domain, name = 'SMTP credential' } = wanted
    const made = await api.post<SmtpCredentialMade>('/v1/smtp-credentials', {
      domain,
      name,
      ...chosen(wanted),
    })
    const text = [
      `The SMTP credential for ${made.domain} has been created. Its password is shown only once.`,
      '',
      fields([
        ['Host', made.host],
        ['Port', `${made.port}, with STARTTLS`],
        ...(made.tls_port === undefined
          ? []
          : [['TLS port', `${made.tls_port}, with implicit TLS`] as const]),
        ['Username', made.username],
        ['Password', made.password],
        ['Name', made.name],
        ['Expires', made.expires_at === null ? 'never' : shortDate(made.expires_at)],
      ]),
      ...(await notYet(api, made.domain)),
    ]
    return { document: made, text: text.join('\n') }
  })
}

/** Returns the next step for a domain that cannot send yet; none if the key may not read domains. */
async function notYet(api: Api, name: string | undefined): Promise<string[]> {
  if (name === undefined) return []
  const domain = await api
    .get<{ readonly status: string }>(pathOf`/v1/domains/${name}`)
    .catch(() => undefined)
  if (domain === undefined || domain.status === 'verified') return []
  return ['', `${name} is ${domain.status}: before it can send, run postrider domain verify ${name}`]
}

type Credential = Pick<KeyView, 'domain' | 'name' | 'last4' | 'last_used_at' | 'expires_at' | 'revoked_at'>

/** Lists the API keys of an account, newest first. */
export function listApiKeys(
  context: Context,
  { account }: { readonly account: string | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const keys = await api.list<KeyView>('/v1/keys')
    const rows = keys.map((key) => [key.key_id, key.kind, ...common(key, context.clock.now())])
    return {
      document: { data: keys },
      text: table(
        ['key', 'kind', ...HEADINGS],
        rows,
        'There is no key yet; create one with: postrider key create --kind sending --domain example.com',
      ),
    }
  })
}

/** Lists the SMTP credentials of an account, newest first. */
export function listSmtpCredentials(
  context: Context,
  { account }: { readonly account: string | undefined },
): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const all = await api.list<SmtpCredentialView>('/v1/smtp-credentials')
    const rows = all.map((one) => [one.username, ...common(one, context.clock.now())])
    return {
      document: { data: all },
      text: table(
        ['username', ...HEADINGS],
        rows,
        'There is no SMTP credential yet; create one with: postrider smtp-credential create --domain example.com',
      ),
    }
  })
}

const HEADINGS = ['domain', 'name', 'ends in', 'last used', 'state']

const common = (one: Credential, now: number): string[] => [
  one.domain ?? '-',
  one.name,
  `…${one.last4}`,
  shortDate(one.last_used_at),
  stateOf(one, now),
]

function stateOf({ revoked_at, expires_at }: Credential, now: number): string {
  if (revoked_at !== null) return `revoked ${shortDate(revoked_at)}`
  if (expires_at === null) return 'active'
  return `${Date.parse(expires_at) <= now ? 'expired' : 'active until'} ${shortDate(expires_at)}`
}

interface One {
  readonly id: string
  readonly account: string | undefined
}

/** Revokes a key; returns when all running nodes refuse the key. Safe to repeat. */
export const revokeApiKey = (context: Context, given: One): Promise<Answer> =>
  revoke(context, given, pathOf`/v1/keys/${given.id}`, 'key')

/** Revokes an SMTP credential; returns when all running nodes refuse the credential. Safe to repeat. */
export const revokeSmtpCredential = (context: Context, given: One): Promise<Answer> =>
  revoke(context, given, pathOf`/v1/smtp-credentials/${given.id}`, 'SMTP credential')

function revoke(context: Context, { id, account }: One, path: string, noun: string): Promise<Answer> {
  return withApi(context, account, async (api) => {
    const { revoked_at: before } = await api.get<Credential>(path)
    await api.delete(path)
    await untilNoticed()
    const after = await api.get<Credential>(path)
    const text =
      before === null
        ? `The ${noun} ${id} (${after.name}, …${after.last4}) is revoked; every node refuses it from now on.`
        : `The ${noun} ${id} was already revoked at ${shortDate(before)}.`
    return { document: after, text }
  })
}
