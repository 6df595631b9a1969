// A world as a file: saved, loaded, or begun anew.
import { useState } from 'preact/hooks';
import { Button, FileButton, Panel, Problem } from '../components/components.tsx';
import { fullTime } from '../format.ts';
import { useCommand, useLive } from '../live/use-world.ts';

export function StatePanel() {
  const live = useLive();
  const command = useCommand();
  const [told, setTold] = useState('');
  const [asking, setAsking] = useState(false);
  const { plane } = live;
  const save = () =>
    command.run(async () => {
      const text = await plane.text('state');
      const name = `${plane.world}-${fullTime(live.nowMs()).replace(/[ :]/g, '-')}.json`;
      download(name, text);
      setTold(`Saved as ${name}.`);
    });
  const load = (file: File) =>
    void command.run(async () => {
      await plane.send('PUT', 'state', await file.text());
      setTold(`${file.name} is in place.`);
    });
  const reset = () => {
    setAsking(false);
    void command.run(async () => {
      await plane.send('POST', 'reset');
      setTold('It has begun anew.');
    });
  };
  return (
    <Panel
      title={`State of ${plane.world}`}
      note="The whole world with its clock, timers, keys and allowances, as one file."
    >
      <div class="bar">
        <Button onClick={() => void save()} disabled={command.busy} look="main">
          Save as a file
        </Button>
        <FileButton onChoose={load} look="plain">
          Load a file
        </FileButton>
        {asking ? (
          <>
            <Button onClick={reset} look="bad">
              Yes, begin anew
            </Button>
            <Button onClick={() => setAsking(false)}>No</Button>
          </>
        ) : (
          <Button onClick={() => setAsking(true)} disabled={command.busy} look="bad">
            Reset
          </Button>
        )}
      </div>
      <p role="status" class="note">
        {told}
      </p>
      <Problem words={command.problem} />
    </Panel>
  );
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
