// Sends mail to the owners of an account about keys: a key that ends soon, is not used, or is used from another network.

import type { PublicUrl } from '../lib/public-url.ts'
import { DAY_MS, type KeyNoticeKind, UNUSED_DAYS } from '../model/key-notice.ts'
import { inMail, type SendServiceMail, sendToEach } from '../model/service-mail.ts'
import {
  forgetKeyNotices,
  type KeyNotice,
  keysDue,
  noteDueKey,
  pendingKeyNotices,
  recordKeyNotice,
} from '../store/access/key-notices.ts'
import { listOwners } from '../store/access/people.ts'
import { reading } from '../store/database/store.ts'
import { type JobResources, SingletonJob } from '../store/node/singleton-jobs.ts'

const JOB = {
  name: 'key notices',
  lease: 'tell of keys',
  leaseMs: 5 * 60_000,
  everyMs: 60_000,
  failure: 'owners cannot be notified of keys',
} as const
/** Interval of the checks for keys that end soon or are not used. */
const KEYS_EVERY_MS = 3_600_000
/** Maximum number of keys and of notices in one step. */
const MAX_ROWS = 200
/** Time after which a notice without a reachable owner is given up. */
const MAX_WAIT_MS = 3 * DAY_MS
/** Time for which daily notices are kept, so that they are not repeated. */
const KEPT_MS = 30 * DAY_MS

interface Wording {
  readonly subject: string
  /** The event, and the remedy. */
  readonly text: (detail: KeyNotice['detail']) => readonly string[]
}

const REVOKE = 'If this was not expected, revoke the key, and check the audit log.'

/** Subject and text of the mail about each kind of notice. */
const WORDINGS: Readonly<Record<KeyNoticeKind, Wording>> = {
  created: {
    subject: 'A management key was created in your account on Postrider',
    text: () => ['By: the command line', REVOKE],
  },
  new_network: {
    subject: 'A key of your account on Postrider is used from another network',
    text: ({ network }) => [`Network: ${inMail(String(network))}`, REVOKE],
  },
  refused_network: {
    subject: 'A key of your account on Postrider was refused because of its network',
    text: ({ address }) => [
      `Address: ${inMail(String(address))}`,
      'The list of networks of the key does not have this address. If a program of yours has moved, change the list; otherwise rotate the key, because its secret is known elsewhere.',
    ],
  },
  expiring: {
    subject: 'A key of your account on Postrider ends soon',
    text: ({ expires_at }) => [
      `End: ${shownTime(String(expires_at))} UTC`,
      'Programs that use the key stop working then. Give the key a later end, or create another key and replace it.',
    ],
  },
  unused: {
    subject: 'A key of your account on Postrider is not used',
    text: ({ last_used_at }) => [
      `Last use: ${last_used_at === null ? 'never' : `${shownTime(String(last_used_at))} UTC`}`,
      `The key was not used for ${UNUSED_DAYS} days. Revoke the key if no program needs it.`,
    ],
  },
}

const shownTime = (time: string): string => time.slice(0, 16).replace('T', ' ')

export interface KeyNoticesOptions extends JobResources {
  /** Sends a mail; undefined in the playground, which sends no mail about keys. */
  readonly send: SendServiceMail | undefined
  /** Public base URL of the dashboard, for links in mails. */
  readonly publicUrl: PublicUrl
}

/**
 * Notes the keys that end soon or are not used, and sends the mail of all notices about keys, on one node at a time. A
 * mail that was sent before a crash is not sent again, because each mail has the name of its notice.
 */
export class KeyNotices extends SingletonJob {
  readonly #options: KeyNoticesOptions
  #checkedAt = Number.NEGATIVE_INFINITY

  constructor(options: KeyNoticesOptions) {
    super(options, JOB)
    this.#options = options
  }

  /** Notes the keys that are due once an hour, and sends the pending mail. */
  protected async round(): Promise<void> {
    const now = this.#options.clock.now()
    // The absolute difference is used, so that setting back the clock does not delay the next check.
    if (Math.abs(now - this.#checkedAt) >= KEYS_EVERY_MS) {
      await this.#noteDue(now)
      this.#checkedAt = now
    }
    const { store } = this.#options
    for (const notice of await reading(pendingKeyNotices(store.read, MAX_ROWS))) {
      if (!(await this.goesOn())) return
      await this.#tell(notice, now)
    }
  }

  async #noteDue(now: number): Promise<void> {
    const { store } = this.#options
    for (;;) {
      const due = await reading(keysDue(store.read, now, MAX_ROWS))
      for (const key of due) await store.write(noteDueKey, { ...key, now })
      if (due.length < MAX_ROWS || !(await this.goesOn())) break
    }
    while ((await store.write(forgetKeyNotices, { before: now - KEPT_MS, limit: MAX_ROWS })) === MAX_ROWS);
  }

  async #tell(notice: KeyNotice, now: number): Promise<void> {
    const { store, log } = this.#options
    const { key_id: keyId, notice: name, kind, at } = notice
    if (!(await this.#send(notice))) {
      if (now - at < MAX_WAIT_MS) return
      log.warn({ keyId, kind }, 'no owner could be notified of a key')
    }
    await store.write(recordKeyNotice, { keyId, notice: name, now })
  }

  /** Returns false if no owner could be reached. */
  async #send(notice: KeyNotice): Promise<boolean> {
    const { store, send, publicUrl } = this.#options
    if (send === undefined) return true
    const { account_id: accountId, kind, at, key, detail } = notice
    const { subject, text } = WORDINGS[kind]
    const [fact = '', ...advice] = text(detail)
    const facts = [
      `Key: ${inMail(key.name)} (${key.kind}, …${key.last4})`,
      fact,
      `Time: ${shownTime(new Date(at).toISOString())} UTC`,
    ]
    const body = [`${subject}.`, facts.join('\n'), ...advice, `${publicUrl.value}/account/keys`]
    const owners = await reading(listOwners(store.read, accountId))
    const once = `key notice ${notice.key_id} ${notice.notice}`
    return sendToEach(send, owners, { subject, text: `${body.join('\n\n')}\n`, once })
  }
}
