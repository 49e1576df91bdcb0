// Actions for selected messages in the list: resend, cancel, and remove from the suppression list.

import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { tell } from '../../parts/tell.ts'
import { queries } from '../../queries.ts'
import { common } from '../../texts/en/common.ts'
import { messages as words } from '../../texts/en/messages.ts'
import { counted, fill } from '../../texts/texts.ts'
import {
  cancelMessage,
  isFinal,
  type MessageLine,
  recipientsOf,
  removeSuppressions,
  resendMessage,
  usefulToResend,
} from './calls.ts'

/** An action on some of the selected messages. */
interface Action {
  readonly label: () => string
  /** Returns the title of the confirmation dialog; `count` is the number of messages or addresses. */
  readonly question: (count: number) => string
  readonly text: () => string
  readonly done: (count: number) => string
  /** True if the action removes something. */
  readonly harmful?: boolean
  /** Returns the API calls of the action, which run one after another. */
  readonly steps: (domainId: string, messages: readonly MessageLine[]) => readonly (() => Promise<unknown>)[]
}

const ACTIONS: readonly Action[] = [
  {
    label: () => words.resend,
    question: (count) => counted(words.resendQuestion, count),
    text: () => words.resendSomeHint,
    done: (count) => fill(words.someResent, { count }),
    steps: (domainId, messages) =>
      messages.flatMap((message) => {
        const recipients = usefulToResend(recipientsOf(message))
        return recipients.length === 0 ? [] : [() => resendMessage(domainId, message.message_id, recipients)]
      }),
  },
  {
    label: () => common.cancel,
    question: (count) => counted(words.cancelSomeQuestion, count),
    text: () => words.cancelSomeHint,
    done: (count) => fill(words.someCancelled, { count }),
    harmful: true,
    steps: (domainId, messages) =>
      messages
        .filter(({ status }) => !isFinal(status))
        .map(
          ({ message_id }) =>
            () =>
              cancelMessage(domainId, message_id),
        ),
  },
  {
    label: () => words.removeSuppressions,
    question: (count) => counted(words.removeQuestion, count),
    text: () => words.removeHint,
    done: (count) => fill(words.someRemoved, { count }),
    steps: (domainId, messages) => {
      // A suppression of an address applies to a single stream.
      const addresses = new Map(
        messages.flatMap(({ stream, ...message }) =>
          recipientsOf(message)
            .filter(({ status }) => status === 'suppressed' || status === 'bounced')
            .map(({ email }) => [`${stream} ${email}`, { email, stream }] as const),
        ),
      )
      return [...addresses.values()].map(
        ({ email, stream }) =>
          () =>
            removeSuppressions(domainId, email, stream),
      )
    },
  },
]

/** A selected action with its API calls. */
interface Chosen {
  readonly action: Action
  readonly steps: ReturnType<Action['steps']>
}

interface SelectionBarProps {
  readonly domainId: string
  readonly messages: readonly MessageLine[]
  readonly clear: () => void
}

export function SelectionBar({ domainId, messages, clear }: SelectionBarProps) {
  const [asked, setAsked] = useState<Action>()
  const [progress, setProgress] = useState(0)
  const act = useMutation({
    mutationFn: async ({ steps }: Chosen) => {
      let failed = 0
      let reason: unknown
      for (const [index, step] of steps.entries()) {
        setProgress(index + 1)
        await step().catch((error: unknown) => {
          failed++
          reason = error
        })
      }
      if (failed === steps.length && reason instanceof Error) throw reason
      return { done: steps.length - failed, failed, reason }
    },
    // The user may have closed the dialog or opened another one in the meantime.
    onSuccess: async ({ done, failed, reason }, { action }) => {
      await queries.invalidateQueries({ queryKey: ['domains', domainId] })
      if (reason instanceof Error) tell.problem(reason)
      tell.done(
        [action.done(done), failed === 0 ? undefined : fill(words.someFailed, { count: failed })].join(' '),
      )
      setAsked((now) => (now === action ? undefined : now))
      clear()
    },
  })
  // The calls of a running action stay the same, even if the messages change.
  const steps = act.variables?.steps ?? asked?.steps(domainId, messages) ?? []
  if (messages.length === 0) return null
  return (
    <Group className="selection-bar" gap="xs" role="toolbar" aria-label={words.selection}>
      <Text fz="sm" fw={500} role="status">
        {counted(words.selected, messages.length)}
      </Text>
      {ACTIONS.map((action) => (
        <Button
          key={action.label()}
          size="compact-sm"
          variant="default"
          disabled={action.steps(domainId, messages).length === 0}
          onClick={() => {
            act.reset()
            setProgress(0)
            setAsked(action)
          }}
        >
          {action.label()}
        </Button>
      ))}
      <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
        {words.clearSelection}
      </Button>
      <Confirm
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={asked?.question(steps.length) ?? ''}
        action={asked?.label() ?? ''}
        harmless={asked?.harmful !== true}
        busy={act.isPending}
        error={act.error}
        onConfirm={() => asked !== undefined && act.mutate({ action: asked, steps })}
      >
        {asked?.text()}
        {act.isPending && ` ${fill(words.progress, { done: progress, all: steps.length })}`}
      </Confirm>
    </Group>
  )
}
