// postrider seal: seals the secrets in the database with a key that is stored outside the database.

import { loadConfig } from '../config/load.ts'
import { Problem } from '../model/problem.ts'
import { lookAtStore } from '../store/database/unopened.ts'
import { noStore } from '../store/node/open-in-mode.ts'
import {
  changeSealingKey,
  finishSealing,
  listPlainSecrets,
  readSealing,
  sealSecrets,
} from '../store/node/sealing.ts'
import { makeSealingKey, openDataKey, readSealingKey, wrapped } from '../store/node/sealing-key.ts'
import type { Answer, Context } from './command.ts'
import { withStore } from './open.ts'
import { whileStopped } from './stopped.ts'
import { counted } from './text.ts'

/** Maximum number of secrets that are sealed in one commit. */
const AT_ONCE = 200

/** Seals the secrets that a store already contains; a second run continues after an interruption. */
export async function store(context: Context): Promise<Answer> {
  const config = loadConfig(context.env)
  requireKeyFile(config.sealingKeyFile)
  return whileStopped(config, context.clock.now(), () =>
    withStore(
      context,
      async (opened) => {
        const { read, write, secrets } = opened.store
        let count = 0
        for (;;) {
          const plain = await listPlainSecrets(read, AT_ONCE)
          if (plain.length === 0) break
          await write(
            sealSecrets,
            plain.map((one) => ({ ...one, sealed: secrets.seal(one.text, one.owner) })),
          )
          count += plain.length
        }
        await write(finishSealing, { now: context.clock.now() })
        const fingerprint = (await readSealing(read))?.fingerprint ?? null
        return {
          document: { sealed: true, key: fingerprint, secrets_sealed: count },
          text: [
            `The store is sealed with the key ${fingerprint}: ${counted(count, 'secret')} that ${count === 1 ? 'was' : 'were'} unsealed before ${count === 1 ? 'is' : 'are'} sealed now.`,
            'Every start and every command needs POSTRIDER_SEALING_KEY_FILE from now on. Keep a copy of the key apart from the backups: without it neither the store nor a backup opens.',
            'Earlier backups hold the secrets unsealed: make a new backup and delete the earlier ones.',
          ].join('\n'),
        }
      },
      { seals: true },
    ),
  )
}

/** Reports whether the store is sealed, and with which key; the command does not need the key. */
export async function status(context: Context): Promise<Answer> {
  const config = loadConfig(context.env)
  const found = await lookAtStore(config, async (read) => ({
    sealing: await readSealing(read),
    plain: (await listPlainSecrets(read, AT_ONCE)).length,
  }))
  if (found === undefined) throw noStore(config)
  const { sealing, plain } = found
  const isSealed = sealing !== undefined && sealing.sealed_at !== null && plain === 0
  const text =
    sealing === undefined
      ? 'The store is not sealed: the database contains its secrets in plain form.'
      : isSealed
        ? `The store is sealed with the key ${sealing.fingerprint}.`
        : `The store is not completely sealed with the key ${sealing.fingerprint}: run \`postrider seal store\`.`
  return { document: { sealed: isSealed, key: sealing?.fingerprint ?? null }, text }
}

/** Creates a key file. */
export async function makeKey(_: Context, { file }: { readonly file: string }): Promise<Answer> {
  const { fingerprint } = makeSealingKey(file)
  return {
    document: { file, key: fingerprint },
    text: `${file} holds the new key ${fingerprint}, readable by you only. Let POSTRIDER_SEALING_KEY_FILE name it, readable for the user of the service, and keep a copy apart from the backups.`,
  }
}

/** Seals the store again with the key in another file; running nodes are not interrupted. */
export async function changeKey(context: Context, { file }: { readonly file: string }): Promise<Answer> {
  const { sealingKeyFile } = loadConfig(context.env)
  const current = readSealingKey(requireKeyFile(sealingKeyFile))
  const next = readSealingKey(file, 'the argument FILE')
  return withStore(context, async ({ store: { read, write } }) => {
    const row = await readSealing(read)
    if (row === undefined)
      throw new Problem('conflict', 'The store is not sealed; run `postrider seal store`.')
    const to = wrapped(openDataKey(row, current), next)
    if (!(await write(changeSealingKey, { from: current.fingerprint, to }))) {
      throw new Problem('conflict', 'The key has been changed in the meantime; nothing was done.')
    }
    return {
      document: { key: next.fingerprint, previous_key: current.fingerprint },
      text: [
        `The store is now sealed with the key ${next.fingerprint} of ${file}, in place of ${current.fingerprint}.`,
        'Set POSTRIDER_SEALING_KEY_FILE to this file on every node before its next start. Earlier backups can be opened only with the old key: keep the old key as long as these backups.',
      ].join('\n'),
    }
  })
}

function requireKeyFile(file: string | undefined): string {
  if (file !== undefined) return file
  const message = 'Set POSTRIDER_SEALING_KEY_FILE; `postrider seal make-key FILE` makes a key.'
  throw new Problem('validation_failed', message, {
    errors: [{ path: 'POSTRIDER_SEALING_KEY_FILE', code: 'required', message }],
  })
}
