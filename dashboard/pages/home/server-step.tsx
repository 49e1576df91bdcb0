// Setup of the server: host names, outgoing connections and certificate, each with its state and a remedy for problems.

import { Anchor, Box, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { WithCode } from '../../parts/with-code.tsx'
import { guide } from '../../texts/en/guide.ts'
import { healthQuery } from '../operator/calls.ts'
import { stateOf, type Topic, topicsOf } from './server-topics.ts'
import { Step } from './step.tsx'

export function ServerStep({ number }: { readonly number: number }) {
  const { data, error, refetch } = useQuery(healthQuery)
  const topics = topicsOf(data?.checks ?? [])
  const { done, warned } = stateOf(topics)
  return (
    <Step
      number={number}
      done={data !== undefined && done}
      warned={warned}
      title={data === undefined && error === null ? guide.serverChecking : guide.serverStep}
      hint={guide.serverHint}
    >
      <ErrorNotice error={data === undefined ? error : null} again={refetch} />
      {topics.length > 0 && (
        <ul className="topics">
          {topics.map((topic) => (
            <TopicLine key={topic.name} topic={topic} />
          ))}
        </ul>
      )}
      {data !== undefined && (
        <Text fz="sm" c="dimmed">
          {guide.checkedEachMinute}{' '}
          <Anchor component={Link} to="/operator" inherit>
            {guide.viewHealth}
          </Anchor>
        </Text>
      )}
    </Step>
  )
}

const STATES = {
  ok: { label: () => guide.topicOk, tone: 'good' },
  warn: { label: () => guide.topicWarning, tone: 'waiting' },
  fail: { label: () => guide.topicFailed, tone: 'bad' },
} as const

function TopicLine({ topic: { name, status, wrong } }: { readonly topic: Topic }) {
  const { label, tone } = STATES[status]
  return (
    <li className="topic">
      <span>{guide.serverTopics[name]}</span>
      <StatusBadge status={status} label={label()} tone={tone} />
      {wrong.map((check) => (
        <Box key={`${check.name} ${check.detail}`} className="topic-fault" fz="sm">
          {check.name}: {check.detail}
          {check.remedy !== null && (
            <div>
              <b>{guide.whatToDo}</b> <WithCode text={check.remedy} />
            </div>
          )}
        </Box>
      ))}
    </li>
  )
}
