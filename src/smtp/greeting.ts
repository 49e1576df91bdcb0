// The beginning of a dialog: greeting of the host, EHLO, and HELO for hosts without EHLO.

import { type Extensions, noExtensions, readExtensions } from './extensions.ts'
import type { ParsedReply } from './reply-parser.ts'
import { refusal, type Stage, type StageFailure } from './stage.ts'
import type { Timeouts } from './timeouts.ts'
import type { Wire } from './wire.ts'

/** Waits for the 220 greeting (RFC 5321 §3.1). */
export async function awaitGreeting(
  wire: Wire,
  ownNames: ReadonlySet<string> | undefined,
  timeouts: Timeouts,
): Promise<StageFailure | undefined> {
  const [greeting] = await wire.expect(1, timeouts.greeting)
  return expectClass(wire, 'greeting', greeting, 2) ?? ourselves('greeting', greeting, ownNames)
}

/** EHLO name of this client, and names that belong only to this installation. */
export interface Names {
  readonly heloName: string
  readonly ownNames?: ReadonlySet<string> | undefined
}

/** Sends EHLO and reads the extensions of the host (RFC 5321 §4.1.1.1). */
export async function sayHello(
  wire: Wire,
  { heloName, ownNames }: Names,
  timeouts: Timeouts,
): Promise<Extensions | StageFailure> {
  let reply = await wire.command(`EHLO ${heloName}`, timeouts.ehlo)
  // A host that does not support EHLO may support HELO (RFC 5321 §3.2).
  const isOld = reply !== undefined && reply.reply.code >= 500
  if (isOld) reply = await wire.command(`HELO ${heloName}`, timeouts.ehlo)
  const failure = expectClass(wire, 'ehlo', reply, 2) ?? ourselves('ehlo', reply, ownNames)
  return failure ?? (isOld ? noExtensions : readExtensions(reply?.lines ?? []))
}

/**
 * Returns the failure `loop` for a host that greets with a name of this installation: the host is this installation,
 * and the mail would loop (RFC 5321 §5.1, §4.3.1).
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

/** Returns the failure of a step if its reply is missing, or if the first digit of the reply is not `wanted`. */
export function expectClass(
  wire: Wire,
  stage: Stage,
  parsed: ParsedReply | undefined,
  wanted: 2 | 3,
): StageFailure | undefined {
  if (parsed === undefined) return lost(wire, stage)
  if (Math.trunc(parsed.reply.code / 100) !== wanted) return refusal(stage, parsed.reply)
  // The dialog is out of step if the host sent more than the expected reply.
  return wire.error === undefined ? undefined : { stage, error: wire.error }
}

/**
 * Returns the failure of a step without a reply: the 421 reply that closed the connection, or the error that ended the
 * dialog.
 */
export function lost(wire: Wire, stage: Stage): StageFailure {
  if (wire.closing !== undefined) return { stage, reply: wire.closing.reply }
  return { stage, error: wire.error ?? { code: 'closed', message: 'The connection was closed' } }
}
