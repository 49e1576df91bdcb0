// `npm run inbound -- [mails]` parses and authenticates generated messages, and compares the results with mailparser
// and mailauth.
// `npm run inbound -- submit FOLDER` submits the messages in the files of a directory.

import { MailReading } from '../src/inbound/reading.ts'
import { mailOfSeed } from './support/mails/made.ts'
import { differences } from './support/mails/readers.ts'
import { otherResults, signedMailOfSeed } from './support/mails/signed.ts'
import { submitFolder } from './support/mails/submit-folder.ts'

const [first = '1000', folder] = process.argv.slice(2)
if (first === 'submit') process.exitCode = (await submitFolder(folder ?? '.')) ? 0 : 1
else process.exitCode = (await inbound(Number(first))) ? 0 : 1

/** Parses and authenticates generated messages; returns true if all results equal the results of both libraries. */
async function inbound(mails: number): Promise<boolean> {
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
  return found['read otherwise'] + found['authenticated otherwise'] === 0
}
