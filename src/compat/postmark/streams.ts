// Postmark's message streams.

import { DEFAULT_STREAM } from '../../model/stream.ts'

/** ID of Postmark's default stream, which is our stream `transactional`. */
const OUTBOUND = 'outbound'

/** Returns the alias of the stream with an ID of Postmark. */
export const streamAlias = (id: string | undefined): string | undefined =>
  id?.toLowerCase() === OUTBOUND ? DEFAULT_STREAM : id

/** Returns the ID of the stream with an alias. */
export const streamId = (alias: string): string => (alias === DEFAULT_STREAM ? OUTBOUND : alias)
