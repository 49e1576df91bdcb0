// Page shown in place of one that does not exist or broke.

import { Button, Container, Group, Text, Title } from '@mantine/core'
import { Link, useRouteError } from 'react-router'

export function RouteProblem({ notFound = false }: { readonly notFound?: boolean }) {
  const error = useRouteError()
  const [title, text] = notFound
    ? ['Page not found', 'The address is wrong, or the page no longer exists.']
    : isOutdated(error)
      ? ['New version available', 'Postrider was updated while this page was open. Reload to continue.']
      : [
          'Something went wrong',
          error instanceof Error ? error.message : 'An error occurred in the dashboard.',
        ]
  return (
    <Container size="xs" py={80}>
      <Title order={1}>{title}</Title>
      <Text c="dimmed" mt="xs">
        {text}
      </Text>
      <Group mt="lg">
        {!notFound && <Button onClick={() => window.location.reload()}>Reload</Button>}
        <Button component={Link} to="/" variant="default">
          Home
        </Button>
      </Group>
    </Container>
  )
}

/** A page's file is gone when the service was updated under an open window. */
const isOutdated = (error: unknown): boolean =>
  error instanceof TypeError && /dynamically imported module|Importing a module/.test(error.message)
