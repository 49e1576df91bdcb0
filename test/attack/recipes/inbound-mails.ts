// Attack: the attacker's inbound stream receives mails that are expensive to parse, with many parts, deep nesting, many
// header fields, and long lines.

import type { InboundMails } from '../loads/inbound-mails.ts'
import type { Answered, Attacked, Recipe } from '../recipe.ts'

const ADDRESS = 'in@attacker.test'

async function makeStream({ url, attacker }: Attacked): Promise<void> {
  const response = await fetch(`${url}/v1/streams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${attacker.sendingKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ alias: 'bombs', name: 'Bombs', kind: 'inbound', addresses: [ADDRESS] }),
  })
  if (response.status !== 201) throw new Error(await response.text())
}

export const recipe: Recipe = {
  sentence:
    '12 networks send mails with 10,000 parts, 1,000 levels or 20 MB lines to an inbound stream; 2 send headers of 100 MB.',
  async run(attacked): Promise<Answered> {
    await makeStream(attacked)
    return attacked.load('inbound-mails.ts', {
      ...{ port: attacked.inboundPort, to: ADDRESS, networks: 12 },
      ...{ headerBytes: 100_000_000, forMs: 15_000 },
    } satisfies InboundMails)
  },
}
