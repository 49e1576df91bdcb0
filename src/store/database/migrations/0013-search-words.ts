// Tags and streams are found among the words of messages, which a reader of the event log keeps, instead of by indexes
// that the commit of every message has to extend.

import { type Kysely, sql } from 'kysely'
import { FREQUENT, markOf, streamWord, tagWord } from '../../messages/message-words.ts'

/** Fills in what is there, of frequent ones the mark alone, and drops the indexes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const columns = [
    ['tag', tagWord(''), markOf(tagWord(''))],
    ['stream', streamWord(''), markOf(streamWord(''))],
  ] as const
  for (const [name, word, mark] of columns) {
    const column = sql.ref(name)
    const groups = (condition: string) => sql`
      select domain_id, ${column} from messages where ${column} is not null
      group by domain_id, ${column} having count(*) ${sql.raw(condition)} ${sql.lit(FREQUENT)}`
    await sql`
      insert into message_words (domain_id, word, message_id)
      select m.domain_id, ${sql.lit(word)} || m.${column}, m.id
      from (${groups('<=')}) as few join messages m on m.domain_id = few.domain_id and m.${column} = few.${column}`.execute(
      db,
    )
    await sql`
      insert into message_words (domain_id, word, message_id)
      select domain_id, ${sql.lit(mark)} || ${column}, '' from (${groups('>')}) as frequent`.execute(db)
  }
  await db.schema.dropIndex('messages_by_tag').execute()
  await db.schema.dropIndex('messages_by_stream').execute()
}
