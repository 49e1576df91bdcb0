// Page that replaces a missing or a broken page.

import { Button, Container, Group, Text, Title } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { isFileMissing } from '../fetched.ts'
import { common } from '../texts/en/common.ts'
import { shell } from '../texts/en/shell.ts'

interface BoundaryProps {
  readonly children: ReactNode
}

/** Error boundary: shows an error of its content until the user opens another page. */
export function ProblemBoundary({ children }: BoundaryProps) {
  return <Boundary at={useLocation().pathname}>{children}</Boundary>
}

interface State {
  readonly at: string
  readonly error: unknown
}

class Boundary extends Component<BoundaryProps & Pick<State, 'at'>, State> {
  override readonly state: State = { at: this.props.at, error: undefined }

  static getDerivedStateFromError(error: unknown): Pick<State, 'error'> {
    return { error }
  }

  static getDerivedStateFromProps({ at }: Pick<State, 'at'>, state: State): State | null {
    return at === state.at ? null : { at, error: undefined }
  }

  override render(): ReactNode {
    const { error } = this.state
    return error === undefined ? this.props.children : <Problem error={error} />
  }
}

export const NotFound = () => (
  <Told title={shell.notFound} text={shell.notFoundHint}>
    <ToHome />
  </Told>
)

function Problem({ error }: { readonly error: unknown }) {
  // The service responds but no longer has the file, because it was updated while the window was open.
  const isOld = isFileMissing(error)
  const text = error instanceof Error ? error.message : shell.brokenHint
  return (
    <Told title={isOld ? shell.newVersion : common.problem.other} text={isOld ? shell.newVersionHint : text}>
      <Button onClick={() => window.location.reload()}>{common.reload}</Button>
      <ToHome />
    </Told>
  )
}

interface ToldProps {
  readonly title: string
  readonly text: string
  readonly children: ReactNode
}

const Told = ({ title, text, children }: ToldProps) => (
  <Container size={1080} px={{ base: 'md', sm: 'xl' }} py={{ base: 'lg', sm: 40 }} role="status">
    <Title order={1}>{title}</Title>
    <Text c="dimmed" mt="xs">
      {text}
    </Text>
    <Group mt="lg">{children}</Group>
  </Container>
)

const ToHome = () => (
  <Button component={Link} to="/" variant="default">
    {shell.home}
  </Button>
)
