// Guesses passwords from many networks, or logs users in from known devices and from new devices.

import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { answerAttack } from '../load.ts'

export interface Logins {
  readonly url: string
  /** `guesses`: the attack. `users`: the users' logins, in a process that the attack does not slow down. */
  readonly part: 'guesses' | 'users'
  /** Users who log in during the attack; the attacker also guesses the passwords of these users. */
  readonly people: readonly { readonly email: string; readonly password: string }[]
  readonly guessesPerSecond: number
  /** Number of client addresses in 127.0.0.0/8 from which the guesses are sent in turn. */
  readonly networks: number
  /** Time after which guesses begin, in milliseconds; the devices of the users are known by then. */
  readonly afterMs: number
  /** Number of additional login addresses for guesses, which belong to no user. */
  readonly strangers: number
  readonly forMs: number
}

interface Answer {
  readonly status: number
  /** Cookie of the known device; empty if the service has set no cookie. */
  readonly device: string
  readonly ms: number
}

/** Interval of logins from known devices, and also of logins from new devices. */
const LOGIN_EVERY_MS = 250
const TIMEOUT_MS = 20_000

/** Logs in on a new connection. */
function logIn(url: string, from: string, body: object, cookie = ''): Promise<Answer> {
  const began = performance.now()
  const text = JSON.stringify(body)
  return new Promise((resolve) => {
    const failed = (): void => resolve({ status: 0, device: '', ms: Infinity })
    const asked = request(
      new URL('/api/session', url),
      {
        ...{ method: 'POST', agent: false, localAddress: from, signal: AbortSignal.timeout(TIMEOUT_MS) },
        headers: {
          ...{ 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), origin: url },
          ...(cookie === '' ? {} : { cookie }),
        },
      },
      (response) => {
        response.resume().once('error', failed)
        const cookies = response.headers['set-cookie'] ?? []
        const device = cookies.find((one) => one.includes('postrider_device='))?.split(';', 1)[0] ?? ''
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, device, ms: performance.now() - began }),
        )
      },
    )
    asked.once('error', failed).end(text)
  })
}

/** Returns a client address in a part of 127.0.0.0/8. */
const addressOf = (part: number, number: number): string =>
  `127.${part + Math.floor(number / 62_500)}.${Math.floor(number / 250) % 250}.${1 + (number % 250)}`

const p99 = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * 0.99)] ?? TIMEOUT_MS

answerAttack<Logins>(async (given, answers) => {
  const { url, part, people, guessesPerSecond, networks, strangers, forMs, afterMs } = given
  const start = performance.now() + afterMs
  const devices: string[] = []
  if (part === 'users') {
    for (const [number, person] of people.entries()) {
      const { device, status } = await logIn(url, addressOf(50, number), person)
      if (device === '') throw new Error(`a user cannot log in before the attack: ${status}`)
      devices.push(device)
    }
    if (performance.now() > start) throw new Error(`the users have not logged in within ${afterMs} ms`)
  }
  await sleep(start - performance.now())
  const emails = [
    ...people.map(({ email }) => email),
    ...Array.from({ length: strangers }, (_, i) => `nobody${i}@honest.test`),
  ]
  const times = { known: [] as number[], new: [] as number[] }
  const underWay: Promise<void>[] = []
  const began = performance.now()
  const every = async (ms: number, act: (number: number) => Promise<void>): Promise<void> => {
    for (let done = 0; performance.now() - began < forMs; done++) {
      underWay.push(act(done))
      await sleep(Math.max(0, began + (done + 1) * ms - performance.now()))
    }
  }
  const guess = async (number: number): Promise<void> => {
    const email = emails[number % emails.length]
    const { status } = await logIn(url, addressOf(60, number % networks), { email, password: 'a guess' })
    answers.count(`guess: ${status || 'closed'}`)
  }
  const own = (kind: keyof typeof times) => async (number: number) => {
    const who = number % people.length
    const person = people[who] as (typeof people)[number]
    // Each new device logs in from a network that no other client uses.
    const { status, ms } =
      kind === 'known'
        ? await logIn(url, addressOf(50, who), person, devices[who])
        : await logIn(url, addressOf(70, number), person)
    answers.count(`${kind} device: ${status || 'closed'}`)
    times[kind].push(status === 200 ? ms : TIMEOUT_MS)
  }
  if (part === 'guesses') {
    await every(1_000 / guessesPerSecond, guess)
    await Promise.all(underWay)
    return
  }
  await Promise.all([every(LOGIN_EVERY_MS, own('known')), every(LOGIN_EVERY_MS, own('new'))])
  await Promise.all(underWay)
  answers.counts.knownLoginP99Ms = Math.round(p99(times.known))
  answers.counts.newLoginP99Ms = Math.round(p99(times.new))
})
