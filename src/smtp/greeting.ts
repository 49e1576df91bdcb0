// The beginning of a dialog: the host's greeting, EHLO, and HELO for hosts that know no better.

import { type Extensions, noExtensions, readExtensions } from './extensions.ts'
import type { ParsedReply } from './reply-parser.ts'
import { refusal, type Stage, type StageFailure } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire } from './wire.ts'

/** Waits for the 220. RFC 5321 §3.1 */
export async function awaitGreeting(
  wire: Wire,
  ownNames: ReadonlySet<string> | undefined,
  timeouts: Timeouts,
): Promise<StageFailure | undefined> {
  const [greeting] = await wire.expect(1, timeouts.greeting)
  return expectClass(wire, 'greeting', greeting, 2) ?? ourselves('greeting', greeting, ownNames)
}

/** Our name, and the names that a host would have if it were us. */
export interface Names {
  readonly heloName: string
  readonly ownNames?: ReadonlySet<string> | undefined
}

/** Introduces us, and learns what the host offers. RFC 5321 §4.1.1.1 */
export async function sayHello(
  wire: Wire,
  { heloName, ownNames }: Names,
  timeouts: Timeouts,
): Promise<Extensions | StageFailure> {
  let reply = await wire.command(`EHLO ${heloName}`, timeouts.ehlo)
  // RFC 5321 §3.2: a host that does not understand EHLO may understand HELO.
  const isOld = reply !== undefined && reply.reply.code >= 500
  if (isOld) reply = await wire.command(`HELO ${heloName}`, timeouts.ehlo)
  const failure = expectClass(wire, 'ehlo', reply, 2) ?? ourselves('ehlo', reply, ownNames)
  return failure ?? (isOld ? noExtensions : readExtensions(reply?.lines ?? []))
}

/** RFC 5321 §5.1, §4.3.1: a host that greets by a name of ours is ourselves, and the mail would come back for ever. */
function ourselves(
  stage: Stage,
  parsed: ParsedReply | undefined,
  ownNames: ReadonlySet<string> | undefined,
): StageFailure | undefined {
  const name = parsed?.lines[0]?.split(' ', 1)[0]?.toLowerCase()
  if (name === undefined || !ownNames?.has(name)) return undefined
  return { stage, error: { code: 'loop', message: `The host is ourselves: it is called ${name} (5.4.6)` } }
}

/** The failure of a step whose reply is missing or not of the class (its first digit) that the step needs. */
export function expectClass(
  wire: Wire,
  stage: Stage,
  parsed: ParsedReply | undefined,
  wanted: 2 | 3,
): StageFailure | undefined {
  if (parsed === undefined) return lost(wire, stage)
  if (Math.trunc(parsed.reply.code / 100) !== wanted) return refusal(stage, parsed.reply)
  // The right reply and more behind it: nothing that follows would be in step.
  return wire.error === undefined ? undefined : { stage, error: wire.error }
}

/** The failure of a step whose reply never came: the 421 that closed the connection, or the error that ended it. */
export function lost(wire: Wire, stage: Stage): StageFailure {
  if (wire.closing !== undefined) return { stage, reply: wire.closing.reply }
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}
