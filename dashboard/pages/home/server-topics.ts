// The checks of the installation, grouped by setup topic, such as host name, outgoing connections and certificate.

import type { HealthCheck } from '../operator/calls.ts'

/** Names of checks by topic, in the order of the setup; the checks of a domain belong to its DNS records. */
const TOPICS = {
  name: /^hostname$/,
  reverse: /^(?:reverse DNS|source address)/,
  port25: /^(?:port 25|relay)$/,
  returnPath: /^(?:return-path|inbound port)/,
  certificate: /^(?:SMTP certificate|certificate orders)$/,
  publicUrl: /^public URL$/,
  other: /^(?!domains?\b)/,
} as const

type TopicName = keyof typeof TOPICS

/** A setup topic with the worst status of its checks, and the checks that need action. */
export interface Topic {
  readonly name: TopicName
  readonly status: 'ok' | 'warn' | 'fail'
  readonly wrong: readonly HealthCheck[]
}

/** Returns the state of the setup: done if no topic failed, and `warned` if any topic has a warning. */
export function stateOf(topics: readonly Topic[]): { readonly done: boolean; readonly warned: boolean } {
  return {
    done: topics.every(({ status }) => status !== 'fail'),
    warned: topics.some(({ status }) => status === 'warn'),
  }
}

/** Returns the topics of these checks; a topic is left out if all of its checks were skipped. */
export function topicsOf(checks: readonly HealthCheck[]): readonly Topic[] {
  const names = Object.keys(TOPICS) as TopicName[]
  const topicOf = ({ name }: HealthCheck) => names.find((topic) => TOPICS[topic].test(name))
  return names.flatMap((name): Topic[] => {
    const made = checks.filter((check) => check.status !== 'skipped' && topicOf(check) === name)
    const wrong = made.filter(({ status }) => status !== 'ok')
    if (made.length === 0) return []
    const status = wrong.some((check) => check.status === 'fail') ? 'fail' : wrong.length > 0 ? 'warn' : 'ok'
    return [{ name, status, wrong }]
  })
}
