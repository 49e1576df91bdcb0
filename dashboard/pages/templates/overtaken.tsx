// Notice that another user has saved a version since the draft began; the user decides which of the two to keep.

import { Alert, Button, Group } from '@mantine/core'
import { templates } from '../../texts/en/templates.ts'
import { fill } from '../../texts/texts.ts'

const words = templates.overtaken

interface OvertakenProps {
  readonly version: number
  readonly onLook: () => void
  readonly onSave: () => void
  readonly onDiscard: () => void
}

export function Overtaken({ version, onLook, onSave, onDiscard }: OvertakenProps) {
  return (
    <Alert color="yellow" title={fill(words.title, { version })} role="alert">
      {fill(words.hint, { version })}
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onLook}>
          {fill(words.view, { version })}
        </Button>
        <Button size="xs" variant="default" onClick={onSave}>
          {words.save}
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          {words.discard}
        </Button>
      </Group>
    </Alert>
  )
}
