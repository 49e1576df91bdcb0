// Another user has saved it while something was typed here: the user decides which of the two stays.

import { Alert, Button, Group } from '@mantine/core'

interface OvertakenProps {
  readonly version: number
  readonly onLook: () => void
  readonly onSave: () => void
  readonly onDiscard: () => void
}

export function Overtaken({ version, onLook, onSave, onDiscard }: OvertakenProps) {
  return (
    <Alert color="yellow" title={`Version ${version} was saved by another user`} role="alert">
      Your changes are kept here. If you save over version {version}, it stays in the version history.
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onLook}>
          View version {version}
        </Button>
        <Button size="xs" variant="default" onClick={onSave}>
          Save my changes
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard my changes
        </Button>
      </Group>
    </Alert>
  )
}
