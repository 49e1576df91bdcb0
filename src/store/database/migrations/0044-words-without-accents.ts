// Words of subjects are kept without accents, so that `muller` finds `Müller`.

import { type Kysely, sql } from 'kysely'
import { withoutAccents, wordList } from '../../../model/subject-words.ts'
import type { Tables } from '../schema.ts'

const BATCH = 500

/** True for words whose plain form differs; tags, streams and what else begins with a control character stay. */
const hasAccent = (word: string): boolean =>
  !/^\u0001?[\u0002-\u001f]/.test(word) && withoutAccents(word) !== word

/** Adds the plain form of each word beside the one with accents, which goes when its message goes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const tables = db as Kysely<Tables>
  await addWords(tables)
  await addToMessages(tables)
}

async function addWords(db: Kysely<Tables>): Promise<void> {
  const { rows } = await sql<{ domain_id: string; word: string }>`
    select distinct domain_id, word from message_words where ${notAscii('word')}`.execute(db)
  for (const { domain_id, word } of rows.filter((row) => hasAccent(row.word))) {
    await sql`
      insert into message_words (domain_id, word, message_id)
      select domain_id, ${withoutAccents(word)}, message_id from message_words
      where domain_id = ${domain_id} and word = ${word} on conflict do nothing`.execute(db)
  }
}

async function addToMessages(db: Kysely<Tables>): Promise<void> {
  let after = { domain_id: '', id: '' }
  for (;;) {
    const { rows } = await sql<{ domain_id: string; id: string; words: string }>`
      select domain_id, id, words from messages
      where (domain_id, id) > (${after.domain_id}, ${after.id}) and ${notAscii('words')}
      order by domain_id, id limit ${sql.lit(BATCH)}`.execute(db)
    for (const { domain_id, id, words } of rows) {
      const known = new Set(words.split(' ').filter((word) => word !== ''))
      const plain = [...known].filter(hasAccent).map(withoutAccents)
      const added = [...new Set(plain)].filter((word) => !known.has(word))
      if (added.length === 0) continue
      await sql`update messages set words = ${words + wordList(added)}
        where domain_id = ${domain_id} and id = ${id}`.execute(db)
    }
    const last = rows.at(-1)
    if (last === undefined) return
    after = last
  }
}

/** More bytes than characters: both databases count either. */
const notAscii = (column: string) => sql`octet_length(${sql.ref(column)}) > length(${sql.ref(column)})`
