// Somebody else has saved it while something was typed here: which of the two stays is for people to say.

import { Alert, Button, Group } from '@mantine/core'

interface OvertakenProps {
  readonly version: number
  readonly onLook: () => void
  readonly onSave: () => void
  readonly onDiscard: () => void
}

export function Overtaken({ version, onLook, onSave, onDiscard }: OvertakenProps) {
  return (
    <Alert color="yellow" title={`Somebody saved version ${version} meanwhile`} role="alert">
      What you typed is kept here. If you save it over version {version}, that one stays among the versions.
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onLook}>
          Look at version {version}
        </Button>
        <Button size="xs" variant="default" onClick={onSave}>
          Save mine over it
        </Button>
        <Button size="xs" variant="default" onClick={onDiscard}>
          Discard mine
        </Button>
      </Group>
    </Alert>
  )
}
