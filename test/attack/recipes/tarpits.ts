// Attack: messages are sent to mail hosts that reply extremely slowly (tarpits): to 200 hosts, and to one host with a
// different domain for each message.

import type { Tarpits } from '../loads/tarpits.ts'
import { type Answered, type Recipe, together } from '../recipe.ts'

const PITS = Array.from({ length: 200 }, (_, index) => ({
  domain: `t${index}.pit.test`,
  host: `mx.t${index}-pit.test`,
  address: `127.0.8.${index + 1}`,
}))
const WILDCARD = '127.0.7.1'

export const recipe: Recipe = {
  sentence:
    '550 messages have 5 recipients each at domains of one slow mail host, and 550 more at 200 slow mail hosts.',
  zone: {
    '*.tar.test': { MX: ['10 slow.wild.test', '90 decoy.wild.test'] },
    'slow.wild.test': { A: [WILDCARD] },
    ...Object.fromEntries(
      PITS.flatMap(({ domain, host, address }) => [
        [domain, { MX: [`10 ${host}`] }],
        [host, { A: [address] }],
      ]),
    ),
  },
  run({ url, attacker, sink, load }): Promise<Answered> {
    const send = (addresses: readonly string[], domains: readonly string[]): Promise<Answered> =>
      load('tarpits.ts', {
        ...{ url, key: attacker.sendingKey, from: `a@${attacker.domain.name}` },
        ...{ port: sink.port, addresses, domains, messages: 550, forMs: 25_000 },
      } satisfies Tarpits)
    const wild = Array.from({ length: 550 }, (_, index) => `s${index}.tar.test`)
    return together(
      send([WILDCARD], wild),
      send(
        PITS.map(({ address }) => address),
        PITS.map(({ domain }) => domain),
      ),
    )
  },
}
