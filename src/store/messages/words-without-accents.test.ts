// A store whose words have accents: opening it adds the plain ones, which go with their messages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claim, createOwner, finish, messageTo } from '../../../test/support/queued.ts'
import { changeRow, DATABASES, settled, testStorage } from '../../../test/support/store.ts'
import { silentLog } from '../../lib/log.ts'
import { openStore } from '../open-store.ts'
import { eraseFromMessages } from './erasure.ts'
import { listMessages } from './message-search.ts'
import { markOf, tagWord } from './message-words.ts'
import { acceptMessage } from './messages.ts'

for (const database of DATABASES) {
  test(`words of an older store are found without their accents on ${database}`, async () => {
    const storage = await testStorage(database, 'tables')
    const open = () => openStore({ ...storage, log: silentLog })
    let store = await open()
    try {
      const owner = await createOwner(store)
      const made = messageTo(owner, ['ann@receiver.example'])
      const id = made.message.id
      const message = { ...made.message, subject: 'Muller uber 請求書 plain', tag: 'Größe' }
      await store.write(acceptMessage, { ...made, message })
      const [claimed] = (await claim(store, { now: Date.now() })).recipients
      if (claimed === undefined) throw new Error('nothing was claimed')
      await finish(store, claimed, 'delivered')
      await settled(store)
      await store.close()
      for (const [accented, plain] of [
        ['müller', 'muller'],
        ['über', 'uber'],
      ] as const) {
        await changeRow(storage, 'update message_words set word = $1 where word = $2', [accented, plain])
        await changeRow(storage, 'update messages set words = replace(words, $1, $2)', [plain, accented])
      }
      const insert = 'insert into message_words (domain_id, word, message_id) values ($1, $2, $3)'
      await changeRow(storage, insert, [owner.domainId, markOf('müller'), ''])
      await changeRow(storage, 'delete from kysely_migration where name = $1', ['0044-words-without-accents'])
      store = await open()
      const words = async (): Promise<string[]> =>
        (await store.read.selectFrom('message_words').select('word').orderBy('word').execute()).map(
          ({ word }) => word,
        )
      const kept = await words()
      for (const word of [
        'muller',
        'müller',
        'uber',
        'über',
        markOf('muller'),
        tagWord('Größe'),
        '請',
        'plain',
      ])
        assert.ok(kept.includes(word), JSON.stringify(kept))
      assert.ok(!kept.includes(tagWord('Grosse')))
      for (const subject of ['muller', 'MÜLLER', 'über mull', '請求']) {
        const { messages } = await listMessages(store.read, owner, { subject }, 5, undefined)
        assert.deepEqual(
          messages.map((one) => one.message.id),
          [id],
          subject,
        )
      }
      await store.write(eraseFromMessages, { email: 'ann@receiver.example', messageIds: [id] })
      assert.deepEqual(await words(), [markOf('muller'), markOf('müller')].sort())
    } finally {
      await store.close()
      await storage.remove()
    }
  })
}
