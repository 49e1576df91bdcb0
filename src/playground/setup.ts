// Creates the account, domain, keys and login of the playground once, and stores their secrets in playground.json.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createAccount, createUser } from '../access/accounts.ts'
import { createKey } from '../access/keys.ts'
import { hashSecret, newSecret } from '../access/secrets.ts'
import { addDomain } from '../domains/domains.ts'
import type { Clock } from '../lib/clock.ts'
import { randomBase62 } from '../lib/ids.ts'
import { writeWholeFile } from '../lib/whole-file.ts'
import { MAX_INBOXES, PLAYGROUND_INBOX } from '../model/test-inbox.ts'
import { findOperatingAccount, findUserByEmail } from '../store/access/accounts.ts'
import type { Store } from '../store/database/store.ts'
import { findDomain } from '../store/domains/domain-rows.ts'
import { createInbox, UNCHANGED } from '../store/inboxes/inboxes.ts'
import { grantCredits, hasCreditGrant } from '../store/verification/verification-credits.ts'
import type { StreamEditing } from '../streams/stream-editing.ts'

const PLAYGROUND_ACCOUNT = 'Playground'
/** Sending domain of the playground. */
export const PLAYGROUND_DOMAIN = 'example.test'
const CREDITS = { credits: 10_000, note: 'Playground' }
/** Limits of the mailbox, which keeps more than other inboxes, because the playground is reset by hand. */
const MAILBOX_DAYS = 3_650
const MAILBOX_MESSAGES = 1_000_000
const LOGIN_EMAIL = 'owner@example.test'

/** Content of playground.json, which describes the playground for a developer or a test. */
export interface PlaygroundFile {
  readonly base_url: string
  readonly dashboard_url: string
  readonly mailbox_url: string
  readonly smtp: {
    readonly host: string
    readonly port: number
    readonly username: string
    readonly password: string
  }
  readonly domain: string
  readonly sending_key: string
  readonly verification_key: string
  readonly dashboard_login: { readonly email: string; readonly password: string }
}

/** Part of playground.json that stays the same across starts. */
export type PlaygroundSecrets = Pick<
  PlaygroundFile,
  'domain' | 'sending_key' | 'verification_key' | 'dashboard_login'
> & {
  readonly smtp: Pick<PlaygroundFile['smtp'], 'username' | 'password'>
}

export interface SetupOptions {
  readonly store: Store
  readonly clock: Clock
  readonly dataDir: string
  readonly returnPathHost: string
  readonly trackingTarget: string
  readonly reportSecret: string
  /** Service that creates the inbound stream; undefined if the settings name other name servers. */
  readonly streams: StreamEditing | undefined
}

/** Host name of the stream `inbound`, which receives mail to any local part at this host. */
const PLAYGROUND_INBOUND_HOST = `inbound.${PLAYGROUND_DOMAIN}`

const fileIn = (dataDir: string): string => join(dataDir, 'playground.json')

/** Returns the secrets of an earlier start; creates new secrets at the first start. */
export async function setUpPlayground(options: SetupOptions): Promise<PlaygroundSecrets> {
  const account = await findOperatingAccount(options.store.read)
  const kept = account === undefined ? undefined : await readKept(options.dataDir)
  if (account === undefined || kept === undefined) return make(options, account?.id)
  await makeInbox(options, account.id)
  return kept
}

/** Creates the inbox of the playground unless it exists. */
async function makeInbox({ store, clock }: SetupOptions, accountId: string): Promise<void> {
  const inbox = {
    ...{ id: PLAYGROUND_INBOX, account_id: accountId, name: 'Mailbox', created_at: clock.now() },
    ...{ keep_days: MAILBOX_DAYS, keep_messages: MAILBOX_MESSAGES },
    ...{ password_hash: hashSecret(newSecret('')), ...UNCHANGED },
  }
  await store.write(createInbox, { inbox, most: MAX_INBOXES })
}

async function readKept(dataDir: string): Promise<PlaygroundSecrets | undefined> {
  try {
    const { domain, sending_key, verification_key, dashboard_login, smtp } = JSON.parse(
      await readFile(fileIn(dataDir), 'utf8'),
    ) as PlaygroundFile
    return { domain, sending_key, verification_key, dashboard_login, smtp }
  } catch {
    return undefined
  }
}

/**
 * Creates the missing objects of the playground. An account may already exist, created by a command before the first
 * start, or by an earlier start whose playground.json was lost. The account gets new keys, because old keys cannot be
 * shown again; the credits are granted only once.
 */
async function make(options: SetupOptions, existing: string | undefined): Promise<PlaygroundSecrets> {
  const { store, clock } = options
  const accountId = existing ?? (await createAccount(options, PLAYGROUND_ACCOUNT)).id
  await makeInbox(options, accountId)
  if (!(await hasCreditGrant(store.read, accountId, CREDITS.note))) {
    await store.write(grantCredits, { accountId, ...CREDITS, now: clock.now() })
  }
  const domain =
    (await findDomain(store.read, accountId, PLAYGROUND_DOMAIN)) ??
    (await addDomain({ ...options, accountId, name: PLAYGROUND_DOMAIN, verified: true })).domain
  if (options.streams !== undefined) await makeInboundStream(options.streams, accountId, domain.id)
  const key = { accountId, name: 'Playground' }
  const sending = await createKey({ store, clock }, { ...key, kind: 'sending', domainId: domain.id })
  const smtp = await createKey({ store, clock }, { ...key, kind: 'smtp', domainId: domain.id })
  const verification = await createKey({ store, clock }, { ...key, kind: 'verification', domainId: null })
  return {
    domain: PLAYGROUND_DOMAIN,
    sending_key: sending.secret,
    verification_key: verification.secret,
    dashboard_login: await makeLogin(options, accountId),
    smtp: { username: smtp.key.id, password: smtp.secret },
  }
}

async function makeInboundStream(streams: StreamEditing, accountId: string, domainId: string): Promise<void> {
  const owner = { accountId, domainId, domainName: PLAYGROUND_DOMAIN }
  if ((await streams.list(owner)).some(({ stream }) => stream.alias === 'inbound')) return
  const addresses = [`*@${PLAYGROUND_INBOUND_HOST}`]
  await streams.create(owner, { alias: 'inbound', name: 'Inbound', kind: 'inbound', addresses })
}

async function makeLogin(
  options: SetupOptions,
  accountId: string,
): Promise<PlaygroundFile['dashboard_login']> {
  const password = randomBase62(20)
  const isTaken = (await findUserByEmail(options.store.read, LOGIN_EMAIL)) !== undefined
  const email = isTaken ? LOGIN_EMAIL.replace('@', `+${randomBase62(6).toLowerCase()}@`) : LOGIN_EMAIL
  await createUser(options, { account_id: accountId, email, name: 'Owner', role: 'owner', password })
  return { email, password }
}

/** Replaces playground.json atomically; only the owner of the file can read the file. */
export async function writePlaygroundFile(dataDir: string, file: PlaygroundFile): Promise<void> {
  await writeWholeFile(fileIn(dataDir), `${JSON.stringify(file, null, 2)}\n`, 0o600)
}
