// npm run inbound -- [mails]: mails of many shapes, made from seeds, as mailparser reads them and mailauth authenticates them.

import { MailReading } from '../src/inbound/reading.ts'
import { mailOfSeed } from './support/mails/made.ts'
import { differences } from './support/mails/readers.ts'
import { otherResults, signedMailOfSeed } from './support/mails/signed.ts'

const mails = Number(process.argv[2] ?? 1_000)
const reading = new MailReading()
const found = { read: 0, 'read otherwise': 0, authenticated: 0, 'authenticated otherwise': 0 }

function count(name: 'read' | 'authenticated', mail: string, others: readonly string[]): void {
  found[name]++
  if (others.length === 0) return
  found[`${name} otherwise`]++
  console.log(`${mail}: ${others.join('; ')}`)
}

for (let seed = 1; seed <= mails; seed++) {
  const { raw, fault } = mailOfSeed(seed)
  count('read', `seed ${seed}, ${fault}`, await differences(raw))
  count('authenticated', `seed ${seed}`, await otherResults(reading, await signedMailOfSeed(seed)))
}
await reading.stop()
console.log(found)
process.exitCode = found['read otherwise'] + found['authenticated otherwise'] === 0 ? 0 : 1
