// The variables of the template that no column fills, and the choice to leave their places empty.

import { Alert, Checkbox, Code, List, Stack, Text } from '@mantine/core'
import { bulk as words } from '../../texts/en/bulk.ts'
import type { TemplateVariable } from './calls.ts'

const texts = words.new.unfilled

interface UnfilledProps {
  readonly variables: readonly TemplateVariable[]
  /** True if the user agreed that the places of these variables stay empty. */
  readonly accepted: boolean
  readonly onAccept: (accepted: boolean) => void
}

export function Unfilled({ variables, accepted, onAccept }: UnfilledProps) {
  if (variables.length === 0) return null
  const isRequired = variables.some(({ required }) => required)
  return (
    <Alert color={isRequired ? 'red' : 'yellow'} role="alert" title={texts.title}>
      <Stack gap="xs">
        <List fz="sm" spacing={2}>
          {variables.map(({ name, required }) => (
            <List.Item key={name}>
              <Code>{name}</Code>
              {required && ` (${texts.required})`}
            </List.Item>
          ))}
        </List>
        <Text fz="sm">{isRequired ? texts.remedy : texts.remedyOrEmpty}</Text>
        {!isRequired && (
          <Checkbox
            label={texts.accept}
            checked={accepted}
            onChange={(event) => onAccept(event.currentTarget.checked)}
          />
        )}
      </Stack>
    </Alert>
  )
}
