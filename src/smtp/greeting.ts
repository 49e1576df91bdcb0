// The beginning of a dialog: greeting of the host, EHLO, and HELO for hosts without EHLO.

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

/** The name of this client, and the names that only this installation has. */
export interface Names {
  readonly heloName: string
  readonly ownNames?: ReadonlySet<string> | undefined
}

/** Sends EHLO and reads the extensions of the host. RFC 5321 §4.1.1.1 */
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

/**
 * RFC 5321 §5.1, §4.3.1: a host that greets by a name of this installation is this installation, and mail to it would
 * loop.
 */
function ourselves(
  stage: Stage,
  parsed: ParsedReply | undefined,
  ownNames: ReadonlySet<string> | undefined,
): StageFailure | undefined {
  const name = parsed?.lines[0]?.split(' ', 1)[0]?.toLowerCase()
  if (name === undefined || !ownNames?.has(name)) return undefined
  return {
    stage,
    error: { code: 'loop', message: `The host is this installation: its name is ${name} (5.4.6)` },
  }
}

/** Returns the failure of a step whose reply is missing, or whose first digit is not the one that the step needs. */
export function expectClass(
  wire: Wire,
  stage: Stage,
  parsed: ParsedReply | undefined,
  wanted: 2 | 3,
): StageFailure | undefined {
  if (parsed === undefined) return lost(wire, stage)
  if (Math.trunc(parsed.reply.code / 100) !== wanted) return refusal(stage, parsed.reply)
  // The expected reply followed by more: the dialog is out of step.
  return wire.error === undefined ? undefined : { stage, error: wire.error }
}

/** Returns the failure of a step without a reply: the 421 that closed the connection, or the error that ended it. */
export function lost(wire: Wire, stage: Stage): StageFailure {
  if (wire.closing !== undefined) return { stage, reply: wire.closing.reply }
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}
