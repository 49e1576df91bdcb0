// Error of a call in the words of the API, with the request ID and a button to try again.

import { Alert, Button, List, Text } from '@mantine/core'
import { common } from '../texts/en/common.ts'
import { fill } from '../texts/texts.ts'
import { isFinal, linesOf, requestOf, titleOf } from './problem-words.ts'

interface ErrorNoticeProps {
  readonly error: Error | null | undefined
  /** Repeats the call; undefined if a repetition is useless. */
  readonly again?: (() => unknown) | undefined
  /** Names of fields that show their problems themselves. */
  readonly except?: readonly string[]
}

export function ErrorNotice({ error, again, except = [] }: ErrorNoticeProps) {
  if (error === null || error === undefined) return null
  const lines = linesOf(error, except)
  if (lines.length === 0) return null
  const request = requestOf(error)
  return (
    <Alert color="red" role="alert" title={titleOf(error)}>
      {lines.length === 1 ? (
        <Text fz="sm">{lines[0]}</Text>
      ) : (
        <List fz="sm" spacing={2}>
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      {request !== undefined && (
        <Text fz="xs" mt="xs">
          {fill(common.problem.request, { id: request })}
        </Text>
      )}
      {again !== undefined && !isFinal(error) && (
        <Button mt="sm" size="compact-sm" variant="default" onClick={() => again()}>
          {common.tryAgain}
        </Button>
      )}
    </Alert>
  )
}
