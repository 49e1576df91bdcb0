// State of an API call (pending, done or failed) without the query cache, for the pages before the login.

import { useEffect, useState } from 'react'

interface Call<Answer> {
  readonly pending: boolean
  readonly answer: Answer | undefined
  readonly error: Error | null
}

const IDLE = { pending: false, answer: undefined, error: null }

const problemOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))

/** Returns a call that the user starts; `run` returns the response, or undefined if the call failed. */
export function useCall<Answer>(send: () => Promise<Answer>) {
  const [call, setCall] = useState<Call<Answer>>(IDLE)
  return {
    ...call,
    reset: () => setCall(IDLE),
    async run(): Promise<Answer | undefined> {
      setCall({ ...IDLE, pending: true })
      try {
        const answer = await send()
        setCall({ ...IDLE, answer })
        return answer
      } catch (error) {
        setCall({ ...IDLE, error: problemOf(error) })
        return undefined
      }
    },
  }
}

/** Returns a response that a page needs when it opens. */
export function useAnswer<Answer>(read: (signal: AbortSignal) => Promise<Answer>) {
  const [call, setCall] = useState<Omit<Call<Answer>, 'pending'>>(IDLE)
  const [tries, setTries] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the response is read once for each try
  useEffect(() => {
    const ended = new AbortController()
    read(ended.signal).then(
      (answer) => setCall({ answer, error: null }),
      (error) => {
        if (!ended.signal.aborted) setCall({ answer: undefined, error: problemOf(error) })
      },
    )
    return () => ended.abort()
  }, [tries])
  return { ...call, again: () => setTries(tries + 1) }
}
