// postrider domain relay: sets the smarthost that receives the mail of a domain in place of the recipients' mail hosts.

import { parseRelay, shownRelay } from '../lib/route-settings.ts'
import { findDomainRelay, setDomainRelay } from '../store/domains/domain-relays.ts'
import type { Answer, Context } from './command.ts'
import { chooseDomain, withAccount } from './open.ts'
import { UsageError } from './parse.ts'

/** Inputs of `domain relay`; the command shows the current relay if neither `relay` nor `none` is given. */
export interface RelayChoice {
  readonly domain: string
  /** URL of the relay; `-` reads the URL from standard input. */
  readonly relay: string | undefined
  readonly none: boolean
  readonly account: string | undefined
}

/** Sets, removes or shows the relay of a domain. The next delivery attempt of each message uses the new relay. */
export async function relay(context: Context, given: RelayChoice): Promise<Answer> {
  if (given.relay !== undefined && given.none) {
    throw new UsageError('A URL and --none cannot be combined', 'domain relay')
  }
  const read = given.relay === '-' ? await context.readLine('URL of the relay') : given.relay
  const url = read === undefined ? undefined : checked(read)
  return withAccount(context, given.account, async ({ store, clock, account }) => {
    const domain = await chooseDomain(store.read, account, given.domain)
    if (url !== undefined || given.none) {
      const change = { domain_id: domain.id, account_id: account.id, created_at: clock.now() }
      await store.write(setDomainRelay, {
        ...change,
        url: url === undefined ? null : store.secrets.seal(url, domain.id),
      })
    }
    const kept = await findDomainRelay(store.read, account.id, domain.id)
    const shown = kept === undefined ? null : shownRelay(parseRelay(store.secrets.open(kept, domain.id)))
    return {
      document: { domain_id: domain.id, domain: domain.name, relay: shown },
      text:
        shown === null
          ? `${domain.name} has no separate relay.`
          : `The mail of ${domain.name} goes through ${shown}.`,
    }
  })
}

function checked(url: string): string {
  try {
    parseRelay(url)
    return url
  } catch (error) {
    throw new UsageError(`RELAY ${(error as Error).message}`, 'domain relay')
  }
}
