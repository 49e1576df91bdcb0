// `npm run inbound` parses generated messages, or submits the messages of a directory, and compares the results with
// other libraries.

import { MailReading } from '../src/inbound/reading.ts'
import { mailOfSeed } from './support/mails/made.ts'
import { differences } from './support/mails/readers.ts'
import { otherResults, signedMailOfSeed } from './support/mails/signed.ts'
import { submitFolder } from './support/mails/submit-folder.ts'
import { count, readWords, runTool, WrongArgument } from './support/tool.ts'

const USAGE = `npm run inbound -- [mails]   parse and authenticate generated messages, as mailparser and mailauth do (1000)
npm run inbound -- submit FOLDER   submit the messages in the files of a directory, and compare them before and after
`

await runTool(USAGE, async (words) => {
  const [first, folder, ...more] = words
  if (first !== 'submit')
    return (await inbound(...readWords(words, count('The number of mails', 1_000)))) ? 0 : 1
  if (folder === undefined) throw new WrongArgument('Name the directory of the messages.')
  readWords(more)
  return (await submitFolder(folder)) ? 0 : 1
})

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
