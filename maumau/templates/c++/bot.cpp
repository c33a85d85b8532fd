// my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line.
#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

using Texts = std::vector<std::string>;

// All texts of a list or an object, keys and values alike. No text of the arena has quotes or brackets in it.
Texts texts(const std::string& line, const std::string& name, char open, char close) {
    Texts found;
    const std::string key = "\"" + name + "\":" + open;
    const size_t at = line.find(key);
    if (at == std::string::npos) return found;
    const size_t end = line.find(close, at + key.size());
    for (size_t from = line.find('"', at + key.size()); from < end;) {
        const size_t to = line.find('"', from + 1);
        found.push_back(line.substr(from + 1, to - from - 1));
        from = line.find('"', to + 1);
    }
    return found;
}

bool is_card(const std::string& text) {
    return text.size() == 2 && std::string("23456789TJQKAX").find(text[0]) != std::string::npos &&
           std::string("CSHDX").find(text[1]) != std::string::npos;
}

// How many cards an action takes out of the hand: "9H+KH>C" two, "draw" none.
int laid(const std::string& action) {
    const std::string cards = action.substr(0, action.find_first_of("~>@/!"));
    int count = 0;
    for (size_t at = 0; at <= cards.size(); at += 3, ++count)
        if (!is_card(cards.substr(at, 2)) || (at + 2 < cards.size() && cards[at + 2] != '+')) return 0;
    return count;
}

// Whether somebody else is about to go out.
bool in_danger(const std::string& line) {
    const int seat = std::stoi(line.substr(line.find("\"seat\":") + 7));
    std::istringstream counts(line.substr(line.find("\"counts\":[") + 10));
    int other = 0;
    for (int count; counts >> count; ++other) {
        if (other != seat && 0 < count && count <= 2) return true;
        if (counts.get() != ',') return false;
    }
    return false;
}

// Of several actions that are worth the same the first one in the list is taken.
int value(const std::string& action, Texts hand, bool danger) {
    const size_t at = action.find('>');
    const char wish = at == std::string::npos ? 0 : action[at + 1];
    const int count = laid(action);
    std::string top = "  ";
    for (int i = 0; i < count; ++i) {
        top = action.substr(3 * i, 2);
        hand.erase(std::find(hand.begin(), hand.end(), top));
    }
    const int followers = std::count_if(hand.begin(), hand.end(), [&](const std::string& card) {
        return wish ? card[1] == wish : card[1] == top[1] || card[0] == top[0];
    });
    if (count == 0) return followers - 100;  // draw, take, pass: only when nothing can be laid
    const int kept = wish && !hand.empty() ? 5 : 0;  // keep wild cards for later
    return 10 * count + followers - kept + (danger && (top[0] == '7' || top[0] == '8') ? 8 : 0);
}

std::string choose(const std::string& line) {
    const Texts hand = texts(line, "hand", '[', ']'), legal = texts(line, "legal", '[', ']');
    const Texts call = texts(line, "call", '{', '}');
    const bool danger = in_danger(line);
    const std::string best = *std::max_element(legal.begin(), legal.end(), [&](const auto& a, const auto& b) {
        return value(a, hand, danger) < value(b, hand, danger);
    });
    for (size_t i = 0; i + 1 < call.size(); i += 2)
        if (call[i] == best) return best + call[i + 1];  // say Mau where it is owed
    return best;
}

int main() {
    std::ios::sync_with_stdio(false);
    for (std::string line; std::getline(std::cin, line);) {
        if (line.rfind("{\"hello\":", 0) == 0) std::cout << "{\"ready\":\"my-bot\"}\n";
        else if (line.find("\"ask\":") != std::string::npos) std::cout << choose(line) << "\n";
        else if (line.find("\"bye\":") != std::string::npos) return 0;
        if (std::cin.rdbuf()->in_avail() <= 0) std::cout.flush();  // what came together is answered together
    }
}
