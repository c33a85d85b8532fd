import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line. */
public class Bot {
    /** All texts of a list or an object, keys and values alike; no text of the arena has quotes in it. */
    static List<String> texts(String line, String name, char open, char close) {
        List<String> found = new ArrayList<>();
        String key = "\"" + name + "\":" + open;
        int at = line.indexOf(key);
        if (at < 0) return found;
        int end = line.indexOf(close, at + key.length());
        int from = line.indexOf('"', at + key.length());
        while (from >= 0 && from < end) {
            int to = line.indexOf('"', from + 1);
            found.add(line.substring(from + 1, to));
            from = line.indexOf('"', to + 1);
        }
        return found;
    }

    /** How many cards an action takes out of the hand: "9H+KH>C" two, "draw" none. */
    static int laid(String action) {
        String[] cards = action.split("[~>@/!]")[0].split("\\+");
        for (String card : cards) if (!card.matches("[2-9TJQKA][CSHD]|XX")) return 0;
        return cards.length;
    }

    /** What stands between two texts of a message. */
    static String between(String line, String before, String after) {
        int at = line.indexOf(before) + before.length();
        return line.substring(at, line.indexOf(after, at));
    }

    /** Whether somebody else is about to go out. */
    static boolean inDanger(String line) {
        int seat = Integer.parseInt(between(line, "\"seat\":", ","));
        String[] counts = between(line, "\"counts\":[", "]").split(",");
        for (int other = 0; other < counts.length; other++)
            if (other != seat && (counts[other].equals("1") || counts[other].equals("2"))) return true;
        return false;
    }

    /** Of several actions that are worth the same the first one in the list is taken. */
    static long value(String action, List<String> hand, boolean danger) {
        int at = action.indexOf('>'), count = laid(action);
        char wish = at < 0 ? 0 : action.charAt(at + 1);
        List<String> rest = new ArrayList<>(hand);
        String top = "  ";
        for (int i = 0; i < count; i++) rest.remove(top = action.substring(3 * i, 3 * i + 2));
        char rank = top.charAt(0), suit = top.charAt(1);
        long followers = rest.stream().filter(card ->
            wish != 0 ? card.charAt(1) == wish : card.charAt(1) == suit || card.charAt(0) == rank).count();
        if (count == 0) return followers - 100; // draw, take, pass: only when nothing can be laid
        int kept = wish != 0 && !rest.isEmpty() ? 5 : 0; // keep wild cards for later
        return 10 * count + followers - kept + (danger && (rank == '7' || rank == '8') ? 8 : 0);
    }

    static String choose(String line) {
        List<String> hand = texts(line, "hand", '[', ']');
        boolean danger = inDanger(line);
        String best = null;
        for (String action : texts(line, "legal", '[', ']'))
            if (best == null || value(action, hand, danger) > value(best, hand, danger)) best = action;
        List<String> call = texts(line, "call", '{', '}');
        for (int i = 0; i + 1 < call.size(); i += 2)
            if (call.get(i).equals(best)) return best + call.get(i + 1); // say Mau where it is owed
        return best;
    }

    public static void main(String[] words) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"), 1 << 16);
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("{\"hello\":")) out.print("{\"ready\":\"my-bot\"}\n");
            else if (line.contains("\"ask\":")) out.print(choose(line) + "\n");
            else if (line.contains("\"bye\":")) return;
            if (!in.ready()) out.flush(); // what came together is answered together
        }
    }
}
