// Decides where a command works: on the store of this machine, or on an installation elsewhere with its URL and a key.

import type { Context, RemoteOptions } from './command.ts'
import { UsageError } from './parse.ts'
import { readProfiles } from './profiles.ts'
import type { Remote } from './remote.ts'

type Given = Pick<Context, 'env' | 'readLine'>

/**
 * Returns the installation that the options name, otherwise the environment, otherwise the profile in use; undefined for
 * the store of this machine. Throws `UsageError` for a URL without a key, a key without a URL, and an unknown profile.
 */
export async function remoteOf(
  context: Given,
  options: RemoteOptions,
  about: string,
): Promise<Remote | undefined> {
  const { profile, url, key } = options
  if (profile !== undefined && (url !== undefined || key !== undefined)) {
    throw new UsageError('--profile cannot be combined with --url or --key', about)
  }
  if (profile === undefined) {
    const given = { url: url ?? setIn(context, 'POSTRIDER_URL'), key: key ?? setIn(context, 'POSTRIDER_KEY') }
    if (given.url !== undefined || key !== undefined) return remoteIn(context, given, about)
  }
  const { current, profiles } = await readProfiles(context)
  const name = profile ?? current
  if (name === null) return undefined
  const found = profiles.get(name)
  if (found === undefined) {
    throw new UsageError(
      `There is no profile ${JSON.stringify(name)}; \`postrider profile list\` shows all profiles`,
      about,
      [{ path: 'profile', code: 'not_found', message: 'There is no profile with this name.' }],
    )
  }
  return found
}

const setIn = ({ env }: Pick<Context, 'env'>, name: string): string | undefined =>
  env[name]?.trim() || undefined

/** Returns the installation with this URL and this key, which may be read from standard input. */
export async function remoteIn(
  context: Given,
  { url, key }: Pick<RemoteOptions, 'url' | 'key'>,
  about: string,
): Promise<Remote> {
  if (url === undefined) {
    throw required('url', 'A key needs the URL of its installation: --url or POSTRIDER_URL', about)
  }
  if (key === undefined) {
    throw required(
      'key',
      'The URL needs a key: POSTRIDER_KEY, or --key - to read it from standard input',
      about,
    )
  }
  const address = addressOf(url)
  if (address === undefined) {
    const message = 'Give a URL such as https://mail.example.com, without /v1'
    throw new UsageError(message, about, [{ path: 'url', code: 'invalid_url', message }])
  }
  const secret = (key === '-' ? await context.readLine('Key') : key).trim()
  // A header field has no other characters (RFC 6750 §2.1).
  if (!/^[\x21-\x7e]{1,200}$/.test(secret)) {
    throw required('key', 'The key is empty, or has characters that no key has', about)
  }
  return { url: address, key: secret }
}

const required = (path: string, message: string, about: string): UsageError =>
  new UsageError(message, about, [{ path, code: 'required', message }])

/** Returns a URL without `/v1` and without a slash at its end; undefined for any other text. */
function addressOf(text: string): string | undefined {
  const url = URL.parse(text.trim())
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  return `${url.origin}${withoutSlashes(url.pathname).replace(/\/v1$/, '')}`
}

/** Returns a path without its last slashes. */
function withoutSlashes(path: string): string {
  let end = path.length
  while (path[end - 1] === '/') end--
  return path.slice(0, end)
}
