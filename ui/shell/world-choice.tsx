// Which world is looked at; the others are one choice away.
import { useEffect, useState } from 'preact/hooks';
import type { WorldShown } from '../api-client/answers.ts';
import { controlPlaneOf } from '../api-client/control-plane.ts';
import { Select } from '../components/components.tsx';
import { useLive, useVersion } from '../live/use-world.ts';
import { firstWorld, hrefOf } from '../route.ts';

const outer = controlPlaneOf(firstWorld);
/** Worlds come and go without a word to those who look at another one. */
const lookAgainMs = 5000;

/** The names of all worlds, which only the outermost plane knows. */
export function useWorlds(): readonly WorldShown[] {
  const live = useLive();
  const version = useVersion(live);
  const [worlds, setWorlds] = useState<readonly WorldShown[]>([]);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setTurn((before) => before + 1), lookAgainMs);
    return () => clearInterval(timer);
  }, []);
  const seen = Math.floor(version / 20);
  useEffect(() => {
    outer.get<{ worlds: WorldShown[] }>('worlds').then(
      (answer) => setWorlds(answer.worlds),
      () => undefined,
    );
  }, [seen, turn]);
  return worlds;
}

export function WorldChoice() {
  const { plane } = useLive();
  const names = useWorlds().map(({ name }) => name);
  if (names.length < 2 && plane.world === firstWorld) return null;
  const all = names.includes(plane.world) ? names : [...names, plane.world];
  return (
    <Select
      label="World"
      value={plane.world}
      options={all.map((name) => [name, name])}
      onChange={(name) => {
        location.hash = hrefOf(name, 'timeline');
      }}
      quiet
    />
  );
}
