// One participant of a call, by @discordjs/voice. It is told where to connect on its command line, takes what to
// say as lines of JSON on stdin, and tells on stdout what it hears:
//   {"say": ["base64 Opus", ...]}  ->  {"said": true}
//   {"ready": true}   {"user": "id", "opus": "base64"}   {"error": "..."}
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';

import {
  createAudioPlayer,
  createAudioResource,
  EndBehaviorType,
  entersState,
  joinVoiceChannel,
  NoSubscriberBehavior,
  StreamType,
  AudioPlayerStatus,
  VoiceConnectionStatus,
} from '@discordjs/voice';

const { endpoint, token, session, guild, channel, user, listen } = JSON.parse(process.argv[2]);
const tell = (fact) => process.stdout.write(`${JSON.stringify(fact)}\n`);

const connection = joinVoiceChannel({
  guildId: guild,
  channelId: channel,
  selfDeaf: false,
  daveEncryption: true,
  adapterCreator: (methods) => {
    const join = () => {
      methods.onVoiceStateUpdate({
        guild_id: guild, channel_id: channel, user_id: user, session_id: session,
        deaf: false, mute: false, self_deaf: false, self_mute: false, self_video: false, suppress: false,
        request_to_speak_timestamp: null,
      });
      methods.onVoiceServerUpdate({ token, guild_id: guild, endpoint });
    };
    return { sendPayload: () => { setImmediate(join); return true; }, destroy: () => {} };
  },
});
connection.on('error', (error) => tell({ error: String(error) }));
connection.on('debug', (message) => { if (process.env.SHOW_DEBUG) process.stderr.write(`${message}\n`); });

await entersState(connection, VoiceConnectionStatus.Ready, 15_000);
for (const heard of listen) {
  const stream = connection.receiver.subscribe(heard, { end: { behavior: EndBehaviorType.Manual } });
  stream.on('data', (opus) => tell({ user: heard, opus: opus.toString('base64') }));
  stream.on('error', (error) => tell({ error: String(error) }));
}
tell({ ready: true });

const player = createAudioPlayer({ behaviors: { noSubscriber: NoSubscriberBehavior.Play } });
player.on('error', (error) => tell({ error: String(error) }));
connection.subscribe(player);
for await (const line of createInterface({ input: process.stdin })) {
  const { say } = JSON.parse(line);
  const packets = say.map((packet) => Buffer.from(packet, 'base64'));
  player.play(createAudioResource(Readable.from(packets), { inputType: StreamType.Opus }));
  await entersState(player, AudioPlayerStatus.Playing, 5_000);
  await entersState(player, AudioPlayerStatus.Idle, 60_000);
  tell({ said: true });
}
connection.destroy();
process.exit(0);
