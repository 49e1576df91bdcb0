// Error of a call, in the words of the service, with its request ID and a way to try again.

import { Alert, Button, List, Text } from '@mantine/core'
import { ProblemError } from '../client.ts'
import { inWords } from './status-badge.tsx'

interface ErrorNoticeProps {
  readonly error: Error | null | undefined
  /** Tries again; of no use where there is nothing. */
  readonly again?: (() => unknown) | undefined
  /** Fields that show their problems themselves. */
  readonly except?: readonly string[]
}

export function ErrorNotice({ error, again, except = [] }: ErrorNoticeProps) {
  if (error === null || error === undefined) return null
  const problem = error instanceof ProblemError ? error : undefined
  const fields = problem?.errors.filter(({ path }) => !except.includes(path)) ?? []
  if (problem !== undefined && problem.errors.length > 0 && fields.length === 0) return null
  return (
    <Alert color="red" role="alert" title={titleOf(problem)}>
      {fields.length === 0 ? (
        <Text fz="sm">{error.message}</Text>
      ) : (
        <List fz="sm" spacing={2}>
          {fields.map(({ path, message }) => (
            <List.Item key={`${path} ${message}`}>{atField(path, message)}</List.Item>
          ))}
        </List>
      )}
      {problem?.requestId !== undefined && problem.status >= 500 && (
        <Text fz="xs" mt="xs">
          Request {problem.requestId}
        </Text>
      )}
      {again !== undefined && problem?.status !== 404 && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={() => again()}>
          Try again
        </Button>
      )}
    </Alert>
  )
}

/** The message with the field in words and entries from 1: `suppressions[1].email` is "Suppressions 2, email". */
export function atField(path: string, message: string): string {
  const field = path.replaceAll('.', ', ').replace(/\[(\d+)\]/g, (_, index) => ` ${Number(index) + 1}`)
  return field === '' ? message : `${inWords(field)}: ${message}`
}

function titleOf(problem: ProblemError | undefined): string {
  if (problem?.code === 'connection_lost') return 'Connection lost'
  if (problem?.code === 'recent_login_required') return 'Login required'
  if (problem?.status === 403) return 'Not permitted'
  if (problem?.status === 404) return 'Not found'
  if (problem?.status === 429) return 'Too many requests'
  return 'Something went wrong'
}
