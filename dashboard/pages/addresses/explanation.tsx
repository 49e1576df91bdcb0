// The explanation of why mail to an address did not arrive: the verdict, its facts, and the next step.

import { Anchor, Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'react-router'
import { Card } from '../../parts/card.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { fromNow, Time } from '../../parts/time.tsx'
import { useMay } from '../../session.ts'
import { explain as words } from '../../texts/en/explain.ts'
import { fill } from '../../texts/texts.ts'
import {
  type AddressRecord,
  addressPath,
  type Explained,
  type ExplainedFact,
  explanationQuery,
} from '../search/calls.ts'
import { factInWords, verdictInWords } from './fact-words.ts'
import { RemoveSuppression, type Suppression } from './suppressions.tsx'

export function Explanation({ record }: { readonly record: AddressRecord }) {
  const { email } = record
  const query = useQuery(explanationQuery(email))
  const explained = query.data
  if (explained === undefined) return <ErrorNotice error={query.error} again={query.refetch} />
  const { verdict, sure, because } = explained
  return (
    <Card title={verdictInWords(verdict, email, because[0])} intro={sure ? words.intro : words.unsure}>
      <Stack gap="sm">
        <Stack component="ol" gap="xs" m={0} pl="lg" fz="sm">
          {because.map((one) => (
            <li key={JSON.stringify(one)}>
              <FactLine fact={one} messages={explained.messages} />
            </li>
          ))}
        </Stack>
        <Step explained={explained} record={record} />
      </Stack>
    </Card>
  )
}

function FactLine({
  fact,
  messages,
}: {
  readonly fact: ExplainedFact
  readonly messages: Explained['messages']
}) {
  const { at, refers_to, values } = fact
  const text = factInWords(fact, fromNow)
  const to = linkOf(messages, refers_to?.replace('/v1/messages/', '') ?? '')
  const quoted = values.lines ?? values.reply
  return (
    <>
      <Text fz="sm" component="div">
        {to === undefined ? (
          text
        ) : (
          <Anchor component={Link} to={to} inherit underline="always">
            {text}
          </Anchor>
        )}{' '}
        {at !== null && (
          <Text span c="dimmed" inherit>
            <Time at={at} />
          </Text>
        )}
      </Text>
      {quoted !== undefined && quoted !== '' && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a long line
        <pre className="block" tabIndex={0} dir="auto">
          {quoted}
        </pre>
      )}
    </>
  )
}

/** Returns the link to a message of the explanation; undefined for another message. */
const linkOf = (messages: Explained['messages'], id: string): string | undefined => {
  const found = messages.find(({ message_id }) => message_id === id)
  return found && `/domains/${found.domain_id}/messages/${found.message_id}`
}

interface StepProps {
  readonly explained: Explained
  readonly record: AddressRecord
}

/** The next step as a button or a link if this page can do it, and as a sentence otherwise. */
function Step({ explained, record }: StepProps) {
  const may = useMay('developer')
  const [removed, setRemoved] = useState<Suppression>()
  const { next_step: step, messages } = explained
  if (step === null) return null
  const { code, args } = step
  if (code === 'remove_suppression') {
    const listed = record.suppressions.find(({ stream, domain_id }) => {
      const domainId = messages.find(({ domain }) => domain === args.domain)?.domain_id
      return stream === args.stream && domain_id === domainId
    })
    if (!may || listed === undefined) return null
    return (
      <div>
        <Button size="xs" variant="default" onClick={() => setRemoved(listed)}>
          {words.steps.remove_suppression}
        </Button>
        <RemoveSuppression
          suppression={removed}
          address={record.email}
          onClose={() => setRemoved(undefined)}
        />
      </div>
    )
  }
  const to = targetOf(explained)
  const email = typeof args.email === 'string' ? args.email : ''
  const text = fill(words.steps[code], { email } as never)
  return (
    <Text fz="sm" component="div">
      {code === 'ask_recipient' && `${words.askRecipient} `}
      {to === undefined ? (
        text
      ) : (
        <Anchor component={Link} to={to} inherit underline="always">
          {text}
        </Anchor>
      )}
    </Text>
  )
}

/** Returns the page of the next step; undefined if the dashboard has none. */
function targetOf({ next_step: step, messages }: Explained): string | undefined {
  if (step === null) return undefined
  const { code, args } = step
  if (code === 'use_similar_address') return addressPath(String(args.email))
  if (code === 'correct_request') return '/activity/requests'
  if (code === 'resume_domain') {
    const found = messages.find(({ domain }) => domain === args.domain)
    return found && `/domains/${found.domain_id}/settings`
  }
  return linkOf(messages, String(args.message_id))
}
