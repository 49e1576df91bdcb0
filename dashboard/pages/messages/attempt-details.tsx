// Details of an attempt: mail host, encryption, reply, and on request the complete SMTP dialog.

import { Button, Collapse, Group, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useId } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { IconChevronDown, IconChevronRight } from '../../parts/icons.tsx'
import { inWords } from '../../parts/in-words.ts'
import { whole } from '../../parts/numbers.ts'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { Time } from '../../parts/time.tsx'
import { messages as words } from '../../texts/en/messages.ts'
import { fill, parts } from '../../texts/texts.ts'
import type { Attempt, MessageEvent } from './calls.ts'
import './timeline.css'

interface AttemptDetailsProps {
  readonly attempt: Attempt
  readonly outcome: MessageEvent | undefined
  /** Time of the next attempt, only for the last attempt; undefined if there will be none. */
  readonly next: string | undefined
}

export function AttemptDetails({ attempt, outcome, next }: AttemptDetailsProps) {
  const [opened, { toggle }] = useDisclosure(false)
  const dialog = useId()
  return (
    <div className="timeline-entry">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <StatusBadge status={attempt.status} label={inWords(attempt.status)} />
          <Text fz="sm" c="dimmed">
            {fill(words.attempt, { number: attempt.number })}
          </Text>
        </Group>
        <Text fz="sm" c="dimmed">
          <Time at={attempt.started_at} exact />
        </Text>
      </Group>
      {attempt.reason !== '' && (
        <Text fz="sm" mt={2}>
          {attempt.reason}
        </Text>
      )}
      <Text fz="sm" c="dimmed" mt={2}>
        {wayOf(attempt).join(' · ')}
      </Text>
      <Answer attempt={attempt} />
      <Next at={next} outcome={outcome} />
      <Button
        variant="subtle"
        size="compact-sm"
        ml={-8}
        mt={4}
        aria-expanded={opened}
        aria-controls={dialog}
        leftSection={opened ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        onClick={toggle}
      >
        {words.dialog}
      </Button>
      <Collapse expanded={opened} id={dialog}>
        <Transcript text={attempt.transcript} />
      </Collapse>
    </div>
  )
}

/** Returns the mail host, the encryption and the duration of an attempt. */
const wayOf = ({ mx, address, tls, duration_ms }: Attempt): string[] => [
  mx === null ? words.noHost : address === null ? mx : `${mx} [${address}]`,
  tls ?? words.notEncrypted,
  `${whole(duration_ms)} ms`,
]

function Answer({ attempt: { smtp_code, smtp_enhanced, smtp_response } }: { readonly attempt: Attempt }) {
  if (smtp_code === null) return null
  return (
    <div className="code-line answer">
      {[smtp_code, smtp_enhanced, smtp_response].filter((part) => part !== null).join(' ')}
    </div>
  )
}

interface NextProps extends Pick<AttemptDetailsProps, 'outcome'> {
  readonly at: string | undefined
}

function Next({ at, outcome }: NextProps) {
  const { possible_duplicate: twice } = (outcome?.detail ?? {}) as Record<string, unknown>
  return (
    <>
      {at !== undefined && Date.parse(at) > Date.now() && (
        <Text fz="sm" mt={2}>
          {parts(words.nextAttemptAt, { time: <Time key="time" at={at} /> })}
        </Text>
      )}
      {twice === true && (
        <Text fz="sm" mt={2}>
          {words.maybeTwice}
        </Text>
      )}
    </>
  )
}

const DIRECTIONS: Readonly<Record<string, string>> = { '>': 'sent', '<': 'received', '*': 'remark' }

/** Pattern of a transcript line such as `12 > MAIL FROM:<…>`: milliseconds, direction and text. */
const LINE = /^(\d+) ([><*]) (.*)$/s

function Transcript({ text }: { readonly text: string }) {
  if (text === '') {
    return (
      <Text fz="sm" c="dimmed">
        {words.noDialog}
      </Text>
    )
  }
  return (
    <div className="transcript-frame">
      <Group justify="space-between" mb={4}>
        <Text fz="xs" c="dimmed">
          {words.dialogHint}
        </Text>
        <CopyButton text={text} what={words.dialog} />
      </Group>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
      <ol className="transcript" tabIndex={0} aria-label={words.dialog}>
        {text.split('\n').map((line, index) => {
          const [, ms, mark = '', said] = LINE.exec(line) ?? []
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a transcript never changes
            <li key={index} data-direction={DIRECTIONS[mark] ?? 'remark'}>
              <span className="ms">{ms ?? ''}</span>
              <span className="mark">{mark}</span>
              <span>{said ?? line}</span>
            </li>
          )
        })}
      </ol>
    </div>
  )
}
